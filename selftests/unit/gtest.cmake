# SPDX-License-Identifier: GPL-2.0-only
#
# mrc_gtest(NAME): a GoogleTest program as one test of ctest's, because a process for each of its cases
# would take longer to start than the case takes. gtest/NAME.xml below the build folder has the cases,
# which scripts/check counts.
function(mrc_gtest name)
  add_test(NAME ${name} COMMAND ${name} --gtest_output=xml:${CMAKE_BINARY_DIR}/gtest/${name}.xml)
endfunction()
