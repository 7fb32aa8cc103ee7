// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Sends the module the requests that mrcd's unit tests send to their model of it, and prints the
 * answers. selftests/netlink/contract.sh runs it.
 */
#include <cstdio>

#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "contract.h"
#include "mrcnl/client.h"

namespace
{

/** A UDP port that is taken by another socket, as long as the descriptor is open. */
int take_port()
{
    const int fd = socket(AF_INET6, SOCK_DGRAM, 0);
    sockaddr_in6 any{};

    any.sin6_family = AF_INET6;
    any.sin6_port = htons(contract::taken_port);
    if (fd < 0 || bind(fd, reinterpret_cast<const sockaddr *>(&any), sizeof(any))) {
        perror("mrc_contract: UDP port");
        return -1;
    }
    return fd;
}

int print_topics()
{
    for (const std::string &topic : contract::topics())
        puts(topic.c_str());
    return 0;
}

int ask(const char *device, const char *topic)
{
    const auto kernel = mrcnl::open_kernel();
    const int port = take_port();

    if (!kernel)
        fprintf(stderr, "mrc_contract: %s\n", kernel.error().message().c_str());
    if (!kernel || port < 0)
        return 1;
    const contract::Host host{device,
                              [](const std::string &name) { return if_nametoindex(name.c_str()); }};
    // The output becomes a file of answers.
    puts("# SPDX-License-Identifier: GPL-2.0-only");
    for (const std::string &line : contract::ask(**kernel, host, topic))
        puts(line.c_str());
    close(port);
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc == 1)
        return print_topics();
    if (argc == 3)
        return ask(argv[1], argv[2]);
    fputs("Usage: mrc_contract [DEVICE TOPIC]\n"
          "Prints the topics, or what the module answers to the requests of one.\n",
          stderr);
    return 2;
}
