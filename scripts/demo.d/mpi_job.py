#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mpi_job.py FILE: a job of MPI that goes on until FILE exists.

In each round the ranks sum up a vector (all-reduce) and exchange vectors (all-to-all), and check what came.
Rank 0 adds a line to FILE.rounds after each round: how long it took, in seconds. It calls Open MPI's own symbols, so it needs no compiler.
"""

import ctypes
import os
import sys
import time

LENGTH = 1 << 14  # elements that each rank gets from each other one, 8 bytes each

mpi = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)


def symbol(name):
    return ctypes.byref(ctypes.c_char.in_dll(mpi, name))


class Job:
    def __init__(self):
        self.world, self.long = symbol("ompi_mpi_comm_world"), symbol("ompi_mpi_long")
        rank, size = ctypes.c_int(), ctypes.c_int()
        mpi.MPI_Init(None, None)
        mpi.MPI_Comm_rank(self.world, ctypes.byref(rank))
        mpi.MPI_Comm_size(self.world, ctypes.byref(size))
        self.rank, self.size = rank.value, size.value
        self.vector = ctypes.c_long * (LENGTH * self.size)

    def sums(self, n):
        """Is the sum over all ranks right?"""
        mine, total = self.vector(*[self.rank + n] * LENGTH * self.size), self.vector()
        failed = mpi.MPI_Allreduce(mine, total, len(mine), self.long, symbol("ompi_mpi_op_sum"), self.world)
        wanted = sum(range(self.size)) + n * self.size
        return not failed and set(total) == {wanted}

    def exchanges(self, n):
        """Is what each rank has sent to this one right?"""
        mine, got = self.vector(), self.vector()
        for to in range(self.size):
            part = (ctypes.c_long * LENGTH)(*[n + 100 * self.rank + to] * LENGTH)
            ctypes.memmove(ctypes.byref(mine, 8 * LENGTH * to), part, 8 * LENGTH)
        failed = mpi.MPI_Alltoall(mine, LENGTH, self.long, got, LENGTH, self.long, self.world)
        return not failed and all(
            set(got[LENGTH * who : LENGTH * (who + 1)]) == {n + 100 * who + self.rank}
            for who in range(self.size)
        )

    def told(self, word):
        """What rank 0 says."""
        value = ctypes.c_long(word)
        mpi.MPI_Bcast(ctypes.byref(value), 1, self.long, 0, self.world)
        return value.value

    def run(self, file):
        rounds, right = 0, True
        while not self.told(os.path.exists(file)):
            began = time.monotonic()
            right = self.sums(rounds) and self.exchanges(rounds) and right
            rounds += 1
            if not self.rank:
                with open(f"{file}.rounds", "a", encoding="ascii") as out:
                    out.write(f"{time.monotonic() - began:.3f}\n")
        print("right" if right and rounds else "wrong", flush=True)
        mpi.MPI_Finalize()
        return right


sys.exit(not Job().run(sys.argv[1]))
