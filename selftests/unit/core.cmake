# SPDX-License-Identifier: GPL-2.0-only
#
# mrc_core_library(NAME): the protocol engine of kernel/core; kernel C, with the kernel's rules.
set(mrc_core_dir ${CMAKE_CURRENT_LIST_DIR}/../../kernel/core)
function(mrc_core_library name)
  add_library(${name} STATIC
    ${mrc_core_dir}/wire.c ${mrc_core_dir}/cc.c ${mrc_core_dir}/shared.c ${mrc_core_dir}/answers.c ${mrc_core_dir}/responder.c
    ${mrc_core_dir}/icrc.c ${mrc_core_dir}/crc_fold.c ${mrc_core_dir}/rx_window.c
    ${mrc_core_dir}/requester.c ${mrc_core_dir}/sendq.c ${mrc_core_dir}/tx_window.c
    ${mrc_core_dir}/tx_sack.c ${mrc_core_dir}/tx_loss.c ${mrc_core_dir}/ev_set.c
    ${mrc_core_dir}/ev_keep.c ${mrc_core_dir}/ev_rotation.c
    ${mrc_core_dir}/ev_schedule.c ${mrc_core_dir}/ev_search.c ${mrc_core_dir}/ev_tally.c
    ${mrc_core_dir}/last_words.c ${mrc_core_dir}/port_status.c ${mrc_core_dir}/reverse.c
    ${mrc_core_dir}/paths.c ${mrc_core_dir}/probing.c ${mrc_core_dir}/timing.c ${mrc_core_dir}/turns.c
    ${mrc_core_dir}/sent.c ${mrc_core_dir}/reach.c ${mrc_core_dir}/asks.c ${mrc_core_dir}/usid.c ${mrc_core_dir}/evidence.c ${mrc_core_dir}/rtt.c)
  set_target_properties(${name} PROPERTIES C_STANDARD 11 C_EXTENSIONS ON)
  target_include_directories(${name} PUBLIC ${mrc_core_dir})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Werror -Wvla -Wdeclaration-after-statement)
endfunction()
