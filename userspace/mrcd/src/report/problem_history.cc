// SPDX-License-Identifier: GPL-2.0-only
#include "report/problem_history.h"

#include <algorithm>

#include "host/json_number.h"
#include "host/state_file.h"

namespace mrcd
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr int version = 1;
constexpr uint64_t lasts_ns = 600'000'000'000;
constexpr uint64_t again_ns = 60'000'000'000;

/** Must the problem be logged here, because nothing else logs it? */
bool to_be_told(const Problem &problem)
{
    return problem.kind != ProblemKind::file && problem.kind != ProblemKind::step &&
           problem.kind != ProblemKind::fault;
}

std::optional<std::map<std::string, uint64_t>> read(const std::string &text,
                                                    const std::string &boot, uint64_t now_ns)
{
    const Json object = Json::parse(text, nullptr, false);
    std::map<std::string, uint64_t> since;

    try {
        const uint64_t written_ns = number_of(object.at("written"));
        if (object.at("version") != version || boot.empty() || object.at("boot") != boot ||
            written_ns > now_ns || now_ns - written_ns > lasts_ns)
            return std::nullopt;
        for (const auto &[what, begin] : object.at("since").items())
            since[what] = std::min(number_of(begin), now_ns);
    } catch (const std::exception &) {
        return std::nullopt;
    }
    return since;
}

} // namespace

void ProblemHistory::recall(uint64_t now_ns)
{
    const auto text =
        file_.empty() ? mrcnl::Result<std::string>(std::string()) : mrcnl::read_state_file(file_);

    if (text)
        since_ = read(*text, boot_, now_ns).value_or(since_);
}

void ProblemHistory::keep(uint64_t now_ns)
{
    Json object = {
        {"version", version}, {"boot", boot_}, {"written", now_ns}, {"since", Json::object()}};

    if (file_.empty() || (written_ == since_ && now_ns < written_ns_ + again_ns))
        return;
    for (const auto &[what, begin] : since_)
        object["since"][what] = begin;
    // A failure is not logged: FaultMemory, whose file is in the same folder, logs it.
    static_cast<void>(mrcnl::write_state_file(
        file_, object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n'));
    written_ = since_;
    written_ns_ = now_ns;
}

void ProblemHistory::update(std::vector<Problem> &problems, uint64_t now_ns)
{
    std::map<std::string, uint64_t> now;

    for (Problem &problem : problems) {
        const auto known = since_.find(problem.what);
        if (known == since_.end() && to_be_told(problem))
            log_.write(Level::warning, problem.what + ": " + problem.seen);
        if (!problem.since_ns)
            problem.since_ns = known == since_.end() ? now_ns : known->second;
        now[problem.what] = problem.since_ns;
        since_.erase(problem.what);
    }
    for (const auto &[what, begin] : since_)
        log_.write(Level::info, what + ": over");
    since_ = std::move(now);
    keep(now_ns);
}

} // namespace mrcd
