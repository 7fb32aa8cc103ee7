# SPDX-License-Identifier: GPL-2.0-only
#
# mrc_gtest(NAME [SHARDS]): a GoogleTest program as one test of ctest's, because a process for each of its
# cases would take longer to start than the case takes. With SHARDS it is as many tests, NAME and
# NAME_2 and so on, which share the cases and run at the same time. gtest/TEST.xml below the build folder
# has the cases of a test, which scripts/check counts.
function(mrc_gtest name)
  set(shards 1)
  if(ARGC GREATER 1)
    set(shards ${ARGV1})
  endif()
  foreach(shard RANGE 1 ${shards})
    set(test ${name})
    if(shard GREATER 1)
      set(test ${name}_${shard})
    endif()
    math(EXPR index "${shard} - 1")
    add_test(NAME ${test} COMMAND ${name} --gtest_output=xml:${CMAKE_BINARY_DIR}/gtest/${test}.xml)
    set_tests_properties(${test} PROPERTIES
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()
