// SPDX-License-Identifier: GPL-2.0-only
#include "matrix_file.h"

#include <charconv>
#include <optional>
#include <sstream>

namespace mrcsim
{

namespace
{

std::optional<uint64_t> number_of(const std::string &text)
{
    uint64_t value = 0;
    const char *end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);

    if (text.empty() || error != std::errc() || at != end)
        return std::nullopt;
    return value;
}

/** "A->B" */
std::optional<FlowEntry> ends_of(const std::string &word)
{
    const size_t arrow = word.find("->");

    if (arrow == std::string::npos)
        return std::nullopt;
    const auto source = number_of(word.substr(0, arrow));
    const auto destination = number_of(word.substr(arrow + 2));
    if (!source || !destination || *source > UINT32_MAX || *destination > UINT32_MAX)
        return std::nullopt;
    return FlowEntry{static_cast<uint32_t>(*source), static_cast<uint32_t>(*destination), 0, 0};
}

/** Reads the words behind the hosts. Returns what is wrong with them; empty: nothing. */
std::string read_rest(std::istream &words, FlowEntry &flow)
{
    std::string key;
    std::string text;

    while (words >> key) {
        if (!(words >> text))
            return key + " has no value";
        const auto value = number_of(text);
        if (!value)
            return key + " must be a whole number, not '" + text + "'";
        if (key == "start")
            flow.start = *value;
        else if (key == "size")
            flow.bytes = *value;
        else if (key != "id")
            return "unknown word '" + key + "'";
    }
    return flow.bytes ? "" : "size is missing, or 0";
}

std::string read_line(const std::string &first, std::istream &words, uint32_t hosts,
                      std::vector<FlowEntry> &flows)
{
    if (first == "Nodes" || first == "Connections")
        return "";
    auto flow = ends_of(first);
    if (!flow)
        return "must be 'A->B start T size S', 'Nodes N' or 'Connections N'";
    if (flow->source >= hosts || flow->destination >= hosts)
        return "hosts are 0 to " + std::to_string(hosts - 1);
    if (flow->source == flow->destination)
        return "a host sends to itself";
    const std::string wrong = read_rest(words, *flow);
    if (wrong.empty())
        flows.push_back(*flow);
    return wrong;
}

} // namespace

MatrixResult read_matrix(const std::string &text, uint32_t hosts)
{
    MatrixResult result;
    std::istringstream lines(text);
    uint32_t number = 0;

    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string first;
        number++;
        if (!(words >> first) || first[0] == '#')
            continue;
        const std::string wrong = read_line(first, words, hosts, result.flows);
        if (!wrong.empty())
            result.complaints.push_back({number, wrong});
    }
    if (result.flows.empty() && result.complaints.empty())
        result.complaints.push_back({0, "has no connection"});
    return result;
}

} // namespace mrcsim
