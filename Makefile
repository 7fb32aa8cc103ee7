# SPDX-License-Identifier: GPL-2.0-only
#
# The front door.  "make help" lists the targets.

KERNELS ?= 6.1 6.12
# The kernel that modules_install installs for.
RELEASE ?= $(shell uname -r)
PREFIX ?= /usr/local

define HELP
Soft MRC

  make demo             a fabric in a virtual machine, ib_write_bw over four slow planes,
                        links and switches cut meanwhile, beside MPTCP and TCP; writes build/demo/
  make demo-mpi         a job of Open MPI on four hosts, over UCX, goes on while a link and a switch die
  make check            all tests, on kernels 6.1 and 6.12; ends with "N passed, N failed"
  make check-fast       the quickest of them, on one kernel: between two edits
  make check-full       everything on both kernels, and on one with every checker: hours
  make nightly          make check with ten rounds of random faults instead of one
  make bench            figures against rdma_rxe and TCP; writes build/bench/
  make bench-engine     what the protocol engine costs a packet, on this machine; the same place
  make bench-congestion many hosts send to one, with a fixed window, NSCC and TCP, over switches that
                        mark, trim, both or neither; the same place
  make bench-ocp        the benchmark of the OCP's API beside ib_write_bw; fetches it
  make bench-failover   what faults cost, against MPTCP and TCP over ECMP; the same place
  make sim              the protocol engine at many simulated endpoints; writes build/sim/

  make modules          mrc.ko for the Debian kernels $(KERNELS), in build/modules/
  make modules KDIR=DIR mrc.ko for one kernel, e.g. KDIR=/lib/modules/$$(uname -r)/build
  make modules_install  build and install for the running kernel (RELEASE=, DESTDIR=)
  make dkms-tree        the module's source by itself, for dkms, in build/dkms/soft-mrc-VERSION
  make userspace        libraries, provider, mrcctl, mrcd, in build/userspace/
  make install          install the userspace parts (PREFIX=, DESTDIR=)

  make unit             host unit tests only
  make selftests        tests in virtual machines only (TESTS=, KERNELS=)
  make lint             static checks of everything
  make clean            remove build/ (the kernel cache stays)

The targets from demo to sim do all their own set-up.
endef
export HELP

.PHONY: help demo demo-mpi check check-fast check-full nightly bench bench-congestion bench-engine \
	bench-failover bench-ocp sim \
	modules modules_install dkms-tree userspace install unit selftests lint clean

help:
	@echo "$$HELP"

demo:
	@scripts/demo

demo-mpi:
	@scripts/demo --mpi

check:
	@scripts/check

check-fast:
	@scripts/check --fast

check-full:
	@scripts/check --full

nightly:
	@scripts/check --nightly

unit:
	@scripts/check --only unit

selftests:
	@scripts/check --only selftests $(addprefix --kernel ,$(KERNELS)) $(TESTS)

bench:
	@scripts/bench

bench-engine:
	@scripts/bench engine

bench-congestion:
	@scripts/bench congestion

bench-failover:
	@scripts/bench failover

bench-ocp:
	@scripts/bench ocp

sim:
	@scripts/sim

lint:
	@scripts/lint

ifdef KDIR
modules:
	@scripts/setup build
	@scripts/build-module "$$(cat "$(KDIR)/include/config/kernel.release")" "$(KDIR)"
else
modules:
	@scripts/setup build
	@set -e; kernels=$$(scripts/kernels $(KERNELS)); \
	echo "$$kernels" | while read -r series kdir; do \
		scripts/build-module "$$series" "$$kdir"; \
	done
endif

modules_install:
	@scripts/setup build
	@kdir=/lib/modules/$(RELEASE)/build; \
	scripts/build-module "$(RELEASE)" "$$kdir" && \
	$(MAKE) -C "$$kdir" M="$(CURDIR)/build/modules/$(RELEASE)" \
		$(if $(DESTDIR),INSTALL_MOD_PATH="$(DESTDIR)") modules_install

dkms-tree:
	@scripts/setup build
	@scripts/dkms-tree

userspace:
	@scripts/setup build test
	@scripts/build-userspace

install:
	@scripts/setup build
	@scripts/build-userspace
	@DESTDIR="$(DESTDIR)" cmake --install build/userspace --prefix "$(PREFIX)"

clean:
	rm -rf build
