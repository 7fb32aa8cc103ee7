# SPDX-License-Identifier: GPL-2.0-only
"""A program of MPI: the ranks sum up a vector that is larger than what transports send at once, and
each prints whether the sum is right. It calls Open MPI's own symbols, so it needs no compiler."""

import ctypes
import sys

LENGTH = 1 << 16

mpi = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)


def symbol(name):
    return ctypes.byref(ctypes.c_char.in_dll(mpi, name))


def main():
    world, rank, size = symbol("ompi_mpi_comm_world"), ctypes.c_int(), ctypes.c_int()
    mpi.MPI_Init(None, None)
    mpi.MPI_Comm_rank(world, ctypes.byref(rank))
    mpi.MPI_Comm_size(world, ctypes.byref(size))
    vector = ctypes.c_long * LENGTH
    mine, total = vector(*[rank.value + 1] * LENGTH), vector()
    failed = mpi.MPI_Allreduce(
        mine, total, LENGTH, symbol("ompi_mpi_long"), symbol("ompi_mpi_op_sum"), world
    )
    right = not failed and set(total) == {size.value * (size.value + 1) // 2}
    print("right" if right else "wrong", flush=True)
    mpi.MPI_Finalize()
    sys.exit(not right)


main()
