// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Tests what mrc_ctl.h promises, with libmrc and the module: the controller of the first device,
 * and QPs between two devices that use what the controller sets up. It must run in the network
 * namespace of the first device.
 */
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include <mrc_ctl.h>

#include "api/end.h"
#include "verbs/options.h"

namespace api
{

namespace
{

constexpr int ev_state = MRC_CTL_EV_PROFILE_STATE;
constexpr int ev_scalars = ev_state | MRC_CTL_EV_PROFILE_MODE | MRC_CTL_EV_PROFILE_FMT_ID |
                           MRC_CTL_EV_PROFILE_COUNT | MRC_CTL_EV_PROFILE_MIN_ACTIVE |
                           MRC_CTL_EV_PROFILE_EVENT_MASK;

int failed(int result)
{
    return result ? errno : 0;
}

/** An opaque value as in the API's examples: a number in the first four bytes. */
mrc_ctl_ev ev(uint32_t number, uint8_t port = 1)
{
    mrc_ctl_ev ev{};

    memcpy(ev.val, &number, sizeof(number));
    ev.port = port;
    return ev;
}

/** Source ports that STEVs may have, in the first two bytes. */
mrc_ctl_ev stev(uint8_t n)
{
    mrc_ctl_ev ev{};

    ev.val[0] = 0xc0;
    ev.val[1] = n;
    ev.port = 1;
    return ev;
}

} // namespace

/** Each case must leave nothing behind. */
class Controlled : public Connected
{
protected:
    void SetUp() override { make(); }
    void TearDown() override
    {
        for (uint64_t id = 1; id < 30; id++) {
            leave(id, mrc_ctl_modify_ev_profile, mrc_ctl_ev_profile_attr(), ev_state);
            leave(id, mrc_ctl_modify_cc_profile, mrc_ctl_cc_profile_attr(),
                  MRC_CTL_CC_PROFILE_STATE);
            leave(id, mrc_ctl_modify_ev_fmt_profile, mrc_ctl_ev_fmt_profile_attr(),
                  MRC_CTL_EV_FMT_PROFILE_STATE);
        }
    }

    template <typename Modify, typename Attr>
    void leave(uint64_t id, Modify modify, Attr attr, int mask)
    {
        for (const auto state : {MRC_CTL_PROFILE_OFFLINE, MRC_CTL_PROFILE_INIT}) {
            attr.profile_state = state;
            modify(a->context, id, &attr, mask);
        }
    }

    mrc_context *context() { return a->context; }

    void format(uint64_t id, mrc_ctl_ev_fmt_mode mode, std::vector<mrc_ctl_ev_fmt_field> fields)
    {
        mrc_ctl_ev_fmt_profile_attr attr{};

        attr.profile_state = MRC_CTL_PROFILE_OFFLINE;
        attr.ev_fmt_mode = mode;
        attr.ev_fmt_op = {MRC_CTL_EV_FMT_OP_MODIFY_FIELDS, fields.data(),
                          static_cast<int>(fields.size())};
        ASSERT_EQ(failed(mrc_ctl_modify_ev_fmt_profile(context(), id, &attr,
                                                       MRC_CTL_EV_FMT_PROFILE_STATE |
                                                           MRC_CTL_EV_FMT_PROFILE_MODE |
                                                           MRC_CTL_EV_FMT_PROFILE_OP)),
                  0);
        attr.profile_state = MRC_CTL_PROFILE_ONLINE;
        ASSERT_EQ(failed(mrc_ctl_modify_ev_fmt_profile(context(), id, &attr,
                                                       MRC_CTL_EV_FMT_PROFILE_STATE)),
                  0);
    }
    mrc_ctl_ev_profile_attr wanted(uint64_t format, uint32_t count)
    {
        mrc_ctl_ev_profile_attr attr{};

        attr.profile_state = MRC_CTL_PROFILE_OFFLINE;
        attr.ev_mode = MRC_CTL_EV_MODE_EXP;
        attr.ev_fmt_profile_id = format;
        attr.ev_count = count;
        attr.ev_min_active = count / 4;
        attr.ev_event_mask = MRC_CTL_EV_GOOD | MRC_CTL_EV_ASSUMED_BAD;
        return attr;
    }
    int modify(uint64_t id, mrc_ctl_ev_profile_attr attr, int mask)
    {
        return failed(mrc_ctl_modify_ev_profile(context(), id, &attr, mask));
    }
    int step(uint64_t id, mrc_ctl_profile_state state)
    {
        mrc_ctl_ev_profile_attr attr{};

        attr.profile_state = state;
        return modify(id, attr, ev_state);
    }
    int ev_op(uint64_t id, mrc_ctl_ev_op op, std::vector<mrc_ctl_ev_op_entry> entries)
    {
        mrc_ctl_ev_profile_attr attr{};

        attr.ev_op = {op, entries.data(), static_cast<int>(entries.size())};
        return modify(id, attr, MRC_CTL_EV_PROFILE_EV_OP);
    }
    std::vector<mrc_ctl_ev_op_entry> evs(uint64_t id)
    {
        std::vector<mrc_ctl_ev_op_entry> entries(256);
        mrc_ctl_ev_profile_attr attr{};

        attr.ev_op = {MRC_CTL_EV_OP_QUERY_EV_ARRAY, entries.data(), 256};
        EXPECT_EQ(failed(mrc_ctl_query_ev_profile(context(), id, &attr, MRC_CTL_EV_PROFILE_EV_OP)),
                  0);
        entries.resize(static_cast<size_t>(attr.ev_op.entry_count));
        return entries;
    }
    mrc_ctl_profile_state state_of(uint64_t id)
    {
        mrc_ctl_ev_profile_attr attr{};

        EXPECT_EQ(failed(mrc_ctl_query_ev_profile(context(), id, &attr, ev_state)), 0);
        return attr.profile_state;
    }
    /** An explicit profile that is ONLINE, with the first EVs of stev(). */
    void make_profile(uint64_t id, uint8_t count)
    {
        std::vector<mrc_ctl_ev_op_entry> entries;

        format(13, MRC_CTL_EV_FMT_MODE_STEV, {{16}, {16}});
        ASSERT_EQ(modify(id, wanted(13, count), ev_scalars), 0);
        for (uint8_t i = 0; i < count; i++)
            entries.push_back({{}, stev(i), MRC_CTL_EV_GOOD, 0});
        ASSERT_EQ(ev_op(id, MRC_CTL_EV_OP_REPLACE_EV, entries), 0);
        ASSERT_EQ(step(id, MRC_CTL_PROFILE_ONLINE), 0);
    }
    /** The first QP gets the objects with these numbers. */
    void connect_with(mrc_qp_attr &attr, int mask)
    {
        ASSERT_EQ(a->to_init(&attr, mask), 0);
        ASSERT_EQ(b->to_init(), 0);
        ASSERT_EQ(a->to_rtr(*b), 0);
        ASSERT_EQ(b->to_rtr(*a), 0);
        ASSERT_EQ(a->to_rts(), 0);
        ASSERT_EQ(b->to_rts(), 0);
    }
    void check_write()
    {
        a->data()[0] = static_cast<uint8_t>(a->data()[0] + 7);
        ASSERT_EQ(a->write(*b, 0, 4096, 1, IBV_SEND_SIGNALED), 0);
        const auto done = a->completions(1);
        ASSERT_EQ(done.size(), 1u);
        EXPECT_EQ(done[0].status, IBV_WC_SUCCESS);
        EXPECT_EQ(a->data()[0], b->data()[0]);
    }
};

using Device = Controlled;
using EvProfiles = Controlled;
using CcProfiles = Controlled;
using Probes = Controlled;

TEST_F(Device, SaysWhatItCan)
{
    mrc_ctl_device_attr attr{};
    int supported = 0;

    ASSERT_EQ(failed(mrc_ctl_query_device_ex(a->device.get(), context(), &attr, &supported)), 0);
    EXPECT_EQ(supported, 1);
    EXPECT_EQ(attr.phy_port_mask, 2u) << "port 1";
    EXPECT_EQ(attr.ev.ev_max_count_profile, 256u);
    EXPECT_EQ(attr.ev.ev_free_count, attr.ev.ev_max_count);
    EXPECT_TRUE(attr.opt_attr & MRC_CTL_OPT_CAP_EP_OP_EV_PROBE);
}

TEST_F(Device, PortsGoDownAndUp)
{
    mrc_ctl_port_attr attr{MRC_CTL_PORT_ADMIN_DISABLED};
    ibv_port_attr port{};

    ASSERT_EQ(failed(mrc_ctl_modify_port(context(), 1, &attr, MRC_CTL_PORT_ADMIN_STATE)), 0);
    ASSERT_EQ(ibv_query_port(a->device.get(), 1, &port), 0);
    EXPECT_EQ(port.state, IBV_PORT_DOWN) << "it was the only one";
    attr.port_admin_state = MRC_CTL_PORT_ADMIN_ENABLED;
    ASSERT_EQ(failed(mrc_ctl_modify_port(context(), 1, &attr, MRC_CTL_PORT_ADMIN_STATE)), 0);
    ASSERT_EQ(ibv_query_port(a->device.get(), 1, &port), 0);
    EXPECT_EQ(port.state, IBV_PORT_ACTIVE);
    EXPECT_EQ(failed(mrc_ctl_query_port(context(), 2, &attr, MRC_CTL_PORT_ADMIN_STATE)), EINVAL);
}

TEST_F(Device, HasOneController)
{
    mrc_context *other = mrc_create_context(a->device.get(), nullptr);
    mrc_ctl_port_attr attr{MRC_CTL_PORT_ADMIN_ENABLED};

    ASSERT_EQ(failed(mrc_ctl_modify_port(context(), 1, &attr, MRC_CTL_PORT_ADMIN_STATE)), 0);
    EXPECT_EQ(failed(mrc_ctl_modify_port(other, 1, &attr, MRC_CTL_PORT_ADMIN_STATE)), EBUSY);
    EXPECT_EQ(failed(mrc_ctl_query_port(other, 1, &attr, MRC_CTL_PORT_ADMIN_STATE)), 0);
    EXPECT_EQ(mrc_destroy_context(other), 0);
}

/* Makes the calls of mrc_ctl_exp_ev.md. */
TEST_F(EvProfiles, AsTheApisExampleOfExplicitEvsDoes)
{
    format(13, MRC_CTL_EV_FMT_MODE_STEV, {{16}, {16}});
    ASSERT_EQ(modify(1, wanted(13, 256), ev_scalars), 0);
    for (uint32_t i = 0; i < 256; i++)
        ASSERT_EQ(ev_op(1, MRC_CTL_EV_OP_REPLACE_EV,
                        {{MRC_CTL_EV_UNPOPULATED, ev(i << 16 | i), MRC_CTL_EV_GOOD, 0}}),
                  0)
            << i;
    ASSERT_EQ(step(1, MRC_CTL_PROFILE_ONLINE), 0);
    for (uint32_t i = 13; i <= 42; i++)
        ASSERT_EQ(
            ev_op(1, MRC_CTL_EV_OP_MODIFY_EV_STATE, {{ev(i << 16 | i), {}, MRC_CTL_EV_DENIED, 0}}),
            0)
            << i;
    EXPECT_EQ(evs(1)[42].state, MRC_CTL_EV_DENIED);
    for (uint32_t i = 13; i <= 42; i++)
        ASSERT_EQ(ev_op(1, MRC_CTL_EV_OP_REPLACE_EV,
                        {{ev(i << 16 | i), ev((i + 300) << 16 | (i + 300)), MRC_CTL_EV_GOOD, 0}}),
                  0)
            << i;
    const auto found = evs(1);
    ASSERT_EQ(found.size(), 256u);
    EXPECT_EQ(memcmp(found[42].ev.val, ev(342u << 16 | 342).val, MRC_CTL_EV_MAX_BYTES), 0);
    EXPECT_EQ(found[42].state, MRC_CTL_EV_GOOD);
    EXPECT_EQ(memcmp(found[43].ev.val, ev(43u << 16 | 43).val, MRC_CTL_EV_MAX_BYTES), 0);
    ASSERT_EQ(step(1, MRC_CTL_PROFILE_OFFLINE), 0);
    ASSERT_EQ(step(1, MRC_CTL_PROFILE_INIT), 0);
}

/* Makes the calls of mrc_ctl_gen_ev.md. */
TEST_F(EvProfiles, AsTheApisExampleOfGeneratedEvsDoes)
{
    std::vector<mrc_ctl_ev_field> fields{
        {8, 0, 0, 255, 0xff}, {4, 0, 0, 15, 0xf}, {4, 0, 0, 15, 0xf}};
    mrc_ctl_ev_profile_attr attr = wanted(13, 256);

    format(13, MRC_CTL_EV_FMT_MODE_STEV, {{8}, {4}, {4}});
    attr.ev_mode = MRC_CTL_EV_MODE_GEN;
    attr.ev_fields_op = {MRC_CTL_EV_FIELDS_OP_MODIFY_FIELDS, fields.data(), 3};
    ASSERT_EQ(modify(1, attr, ev_scalars | MRC_CTL_EV_PROFILE_EV_FIELDS_OP), 0);
    ASSERT_EQ(step(1, MRC_CTL_PROFILE_ONLINE), 0);
    size_t denied = 0;
    for (const auto &entry : evs(1))
        if (entry.ev.val[0] >= 180) {
            denied++;
            ASSERT_EQ(
                ev_op(1, MRC_CTL_EV_OP_MODIFY_EV_STATE, {{entry.ev, {}, MRC_CTL_EV_DENIED, 0}}), 0);
        }
    EXPECT_GT(denied, 0u);
    for (const auto &entry : evs(1))
        denied -= entry.state == MRC_CTL_EV_DENIED;
    EXPECT_EQ(denied, 0u);
}

TEST_F(EvProfiles, TheKernelHasTheLastWord)
{

    format(14, MRC_CTL_EV_FMT_MODE_SRV6, {{128}});
    ASSERT_EQ(modify(2, wanted(14, 1), ev_scalars), 0);
    ASSERT_EQ(ev_op(2, MRC_CTL_EV_OP_REPLACE_EV, {{{}, {{0xff, 2}, 1}, MRC_CTL_EV_GOOD, 0}}), 0);
    EXPECT_EQ(step(2, MRC_CTL_PROFILE_ONLINE), EINVAL) << "a multicast address is no way";
    EXPECT_EQ(state_of(2), MRC_CTL_PROFILE_OFFLINE);
}

TEST_F(EvProfiles, OutliveTheProgram)
{
    make_profile(3, 4);
    ASSERT_EQ(ev_op(3, MRC_CTL_EV_OP_MODIFY_EV_STATE, {{stev(2), {}, MRC_CTL_EV_DENIED, 0}}), 0);
    a.reset();
    a = std::make_unique<End>(0, Shape(), 4096);
    EXPECT_EQ(state_of(3), MRC_CTL_PROFILE_ONLINE);
    const auto found = evs(3);
    ASSERT_EQ(found.size(), 4u);
    EXPECT_EQ(found[2].state, MRC_CTL_EV_DENIED);
    EXPECT_EQ(found[3].ev.val[1], 3);
}

TEST_F(EvProfiles, AreUsedByQps)
{
    mrc_qp_attr by_number{};

    make_profile(4, 4);
    by_number.profile.ev_profile_id = 4;
    ASSERT_NO_FATAL_FAILURE(connect_with(by_number, MRC_QP_EV_PROFILE_ID));
    check_write();
    EXPECT_EQ(step(4, MRC_CTL_PROFILE_OFFLINE), EBUSY);
    EXPECT_EQ(ev_op(4, MRC_CTL_EV_OP_REPLACE_EV, {{stev(0), stev(9), MRC_CTL_EV_GOOD, 0}}), 0);
    check_write();
    for (uint8_t i = 1; i < 4; i++)
        EXPECT_EQ(ev_op(4, MRC_CTL_EV_OP_MODIFY_EV_STATE, {{stev(i), {}, MRC_CTL_EV_DENIED, 0}}),
                  0);
    check_write();
    EXPECT_EQ(evs(4)[0].state, MRC_CTL_EV_GOOD);
    EXPECT_EQ(a->to_state(IBV_QPS_RESET), 0);
    EXPECT_EQ(step(4, MRC_CTL_PROFILE_OFFLINE), 0);
}

TEST_F(CcProfiles, AreUsedByQps)
{
    mrc_ctl_cc_nscc_cfg config{};
    mrc_ctl_cc_nscc_cfg told{};
    mrc_ctl_cc_profile_attr attr{};
    mrc_qp_attr by_number{};
    const auto modify_cc = [&](int mask) {
        return failed(mrc_ctl_modify_cc_profile(context(), 5, &attr, mask));
    };

    config.base_rtt = 500000;
    attr.profile_state = MRC_CTL_PROFILE_OFFLINE;
    attr.algorithm = "uet-1.0-nscc";
    attr.cc_config = &config;
    ASSERT_EQ(modify_cc(MRC_CTL_CC_PROFILE_STATE | MRC_CTL_CC_PROFILE_ALGORITHM |
                        MRC_CTL_CC_PROFILE_CONFIG),
              0);
    attr.profile_state = MRC_CTL_PROFILE_ONLINE;
    ASSERT_EQ(modify_cc(MRC_CTL_CC_PROFILE_STATE), 0);
    by_number.profile.cc_profile_id = 5;
    ASSERT_NO_FATAL_FAILURE(connect_with(by_number, MRC_QP_CC_PROFILE_ID));
    check_write();
    attr.cc_config = &told;
    ASSERT_EQ(failed(mrc_ctl_query_cc_profile(context(), 5, &attr, MRC_CTL_CC_PROFILE_CONFIG)), 0);
    EXPECT_EQ(told.base_rtt, 500000u);
    EXPECT_GT(told.max_cwnd, 8192u) << "what the device takes by itself";
    EXPECT_GT(told.target_delay, 0u);
    EXPECT_FLOAT_EQ(told.gamma, 0.8F);
    attr.profile_state = MRC_CTL_PROFILE_OFFLINE;
    EXPECT_EQ(modify_cc(MRC_CTL_CC_PROFILE_STATE), EBUSY);
    config.base_rtt = 400000;
    attr.cc_config = &config;
    EXPECT_EQ(modify_cc(MRC_CTL_CC_PROFILE_CONFIG), 0);
    EXPECT_EQ(a->to_state(IBV_QPS_RESET), 0);
    EXPECT_EQ(modify_cc(MRC_CTL_CC_PROFILE_STATE), 0);
}

/* Makes the calls of mrc_ctl_ev_probes.md, with more destinations than there. */
TEST_F(Probes, AreAnsweredByThoseThatThereAre)
{
    std::vector<mrc_ctl_ep_req> requests(40);
    std::vector<mrc_ctl_ep_rsp> answers(40);
    std::vector<bool> answered(40);
    int count = 0;

    // Strangers' probes are answered at a low rate.
    ASSERT_NO_FATAL_FAILURE(connect());
    for (uint16_t i = 0; i < 40; i++) {
        requests[i].req_id = static_cast<uint16_t>(1000 + i);
        requests[i].sgid = a->gid;
        requests[i].dgid = b->gid;
        requests[i].ev_fmt_mode = MRC_CTL_EV_FMT_MODE_STEV;
        requests[i].req_ev = stev(static_cast<uint8_t>(i));
    }
    ASSERT_EQ(
        failed(mrc_ctl_ep_batch_send_wait(context(), 0, MRC_CTL_EP_OP_EV_PROBE, requests.data(), 40,
                                          4'000'000'000u, answers.data(), &count)),
        0);
    ASSERT_EQ(count, 40);
    for (const mrc_ctl_ep_rsp &answer : answers) {
        ASSERT_LT(answer.req_id - 1000, 40);
        EXPECT_FALSE(answered[answer.req_id - 1000]);
        answered[answer.req_id - 1000] = true;
        EXPECT_EQ(answer.port, 1);
        EXPECT_GT(answer.rtt, 0u);
    }
    requests[1].dgid.raw[15] = 77; // no host
    EXPECT_EQ(
        failed(mrc_ctl_ep_batch_send_wait(context(), 0, MRC_CTL_EP_OP_EV_PROBE, requests.data(), 3,
                                          300'000'000u, answers.data(), &count)),
        ETIMEDOUT);
    EXPECT_EQ(count, 2);
    requests[1].req_ev.port = 9;
    EXPECT_EQ(
        failed(mrc_ctl_ep_batch_send_wait(context(), 0, MRC_CTL_EP_OP_EV_PROBE, requests.data() + 1,
                                          1, 300'000'000u, answers.data(), &count)),
        EINVAL)
        << "there is no such port";
}

/** The ports of the first device that the second one holds to be up, as mrcctl shows them. */
std::string believed()
{
    std::string shown(256, '\0');
    FILE *pipe = popen("ip netns exec p2 mrcctl -j peer show mrc2 |"
                       " jq -c '[.[].\"remote-ports\"] | unique'",
                       "r");

    if (!pipe)
        return "no mrcctl";
    shown.resize(fread(shown.data(), 1, shown.size(), pipe));
    pclose(pipe);
    return shown;
}

TEST_F(Probes, TellOfPorts)
{
    mrc_ctl_ep_req request{};
    mrc_ctl_ep_rsp answer{};
    int count = 0;
    const auto tell = [&](uint32_t ports) {
        request.op.port_status_update.port_status = ports;
        return failed(mrc_ctl_ep_batch_send_wait(context(), 0, MRC_CTL_EP_OP_PORT_STATUS_UPDATE,
                                                 &request, 1, 4'000'000'000u, &answer, &count));
    };

    ASSERT_NO_FATAL_FAILURE(connect());
    check_write();
    request.req_id = 7;
    request.dgid = b->gid;
    request.ev_fmt_mode = MRC_CTL_EV_FMT_MODE_STEV;
    request.req_ev = stev(0);
    ASSERT_EQ(tell(0b1010), 0); // ports 1 and 3
    EXPECT_EQ(answer.req_id, 7);
    EXPECT_EQ(believed(), "[[1,3,32]]\n");
    ASSERT_EQ(tell(0b0110), 0);
    EXPECT_EQ(believed(), "[[1,2,32]]\n") << "what is told later is so";
    check_write();
}

} // namespace api

int main(int argc, char **argv)
{
    testing::InitGoogleTest(&argc, argv);
    if (!testing::GTEST_FLAG(list_tests)) {
        verbs::parse_options(argc, argv,
                             "Usage: mrc_ctl_test [GOOGLETEST-OPTION]... DEVICE "
                             "[[-N NETNS] DEVICE]\n");
    }
    return RUN_ALL_TESTS();
}
