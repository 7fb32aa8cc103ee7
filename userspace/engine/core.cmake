# SPDX-License-Identifier: GPL-2.0-only
#
# mrc_core_library(NAME): the protocol engine of kernel/core, as kernel C with the kernel's rules. Its
# headers are "core/ROOM/NOUN.h", and those of this folder, for C++, "engine/NOUN.h". They are not in an
# -I folder, so that <netlink/...> stays libnl's.
get_filename_component(mrc_kernel_dir ${CMAKE_CURRENT_LIST_DIR}/../../kernel ABSOLUTE)
get_filename_component(mrc_userspace_dir ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
function(mrc_core_library name)
  file(GLOB sources CONFIGURE_DEPENDS ${mrc_kernel_dir}/core/*/*.c)
  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES C_STANDARD 11 C_EXTENSIONS ON)
  target_compile_options(${name}
    PUBLIC "SHELL:-iquote ${mrc_kernel_dir}" "SHELL:-iquote ${mrc_userspace_dir}"
    PRIVATE -Wall -Wextra -Werror -Wvla -Wdeclaration-after-statement)
endfunction()
