// SPDX-License-Identifier: GPL-2.0-only
/* One rank of a job of Gloo, whose transport "ibverbs" is what PyTorch's process groups use on
 * InfiniBand. */
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gloo/allreduce_halving_doubling.h>
#include <gloo/allreduce_ring_chunked.h>
#include <gloo/barrier_all_to_all.h>
#include <gloo/broadcast_one_to_all.h>
#include <gloo/pairwise_exchange.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/ibverbs/device.h>

namespace
{

using Context = std::shared_ptr<gloo::rendezvous::Context>;

/** Kept to the end: Gloo's buffers end the program if they are destroyed before their last send is
 * complete. */
std::vector<std::unique_ptr<gloo::Algorithm>> kept;
std::deque<std::vector<int64_t>> vectors;

template <typename Algorithm, typename... Arguments>
gloo::Algorithm &keep(Arguments &&...arguments)
{
    kept.push_back(std::make_unique<Algorithm>(std::forward<Arguments>(arguments)...));
    return *kept.back();
}

/** Each rank has its number plus 1 in all elements, and gets the sum. */
template <typename Algorithm>
void check_sum(const Context &context, int elements, const char *name)
{
    std::vector<int64_t> &values = vectors.emplace_back(elements, context->rank + 1);
    gloo::Algorithm &algorithm =
        keep<Algorithm>(context, std::vector<int64_t *>{values.data()}, elements);
    int64_t wanted = int64_t{context->size} * (context->size + 1) / 2;

    for (int round = 0; round < 3; round++, wanted *= context->size) {
        algorithm.run();
        for (const int64_t value : values) {
            if (value != wanted) {
                throw std::runtime_error(std::string(name) + ": wrong sum");
            }
        }
    }
}

void check_broadcast(const Context &context, int elements)
{
    std::vector<int64_t> &values = vectors.emplace_back(elements, context->rank);

    keep<gloo::BroadcastOneToAll<int64_t>>(context, std::vector<int64_t *>{values.data()}, elements,
                                           1)
        .run();
    for (const int64_t value : values) {
        if (value != 1) {
            throw std::runtime_error("broadcast: wrong value");
        }
    }
}

void run(const Context &context)
{
    for (const int elements : {1, 100, 1000000}) {
        check_sum<gloo::AllreduceRingChunked<int64_t>>(context, elements, "ring");
        check_sum<gloo::AllreduceHalvingDoubling<int64_t>>(context, elements, "halving, doubling");
        check_broadcast(context, elements);
    }
    keep<gloo::PairwiseExchange>(context, 1 << 20, 1).run();
    keep<gloo::BarrierAllToAll>(context).run();
}

/** No rank ends before all have what was sent to them. */
void await_all(gloo::rendezvous::Store &store, const Context &context)
{
    std::vector<std::string> ended;

    store.set("ended" + std::to_string(context->rank), {1});
    for (int rank = 0; rank < context->size; rank++) {
        ended.push_back("ended" + std::to_string(rank));
    }
    store.wait(ended);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 6) {
        std::cerr << "usage: mrc_gloo DEVICE GID-INDEX FOLDER RANK RANKS\n";
        return 2;
    }
    try {
        std::shared_ptr<gloo::transport::Device> device =
            gloo::transport::ibverbs::CreateDevice({argv[1], 1, std::atoi(argv[2])});
        gloo::rendezvous::FileStore store(argv[3]);
        const auto context =
            std::make_shared<gloo::rendezvous::Context>(std::atoi(argv[4]), std::atoi(argv[5]));

        context->connectFullMesh(store, device);
        run(context);
        await_all(store, context);
    } catch (const std::exception &error) {
        std::cerr << "mrc_gloo: " << error.what() << '\n';
        return 1;
    }
    std::cout << "right" << std::endl;
    std::_Exit(0);
}
