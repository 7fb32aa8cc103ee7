// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A controller that uses only mrc_ctl.h. It makes an EV profile of the ways that its arguments
 * name, and a CC profile. It sends probes on each way. It denies a way whose probe is not answered,
 * or which an event reports as assumed bad, and allows the way again when a probe is answered.
 *
 * Usage: controller DEVICE ID GID PORT=SID...
 *
 *   ID    number of both profiles, and of the EV format
 *   GID   destination of the probes
 *   SID   an SRv6 address, the destination of packets on this way
 *
 * QPs use the profiles by number (mrc_qp_attr), or because a route names them (mrcctl-route(8)).
 * SIGTERM ends the controller. The profiles stay, and the next controller continues with them.
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mrc_ctl.h>

#define WAYS_MOST 256
#define LOOK_MS 50 /* between looks at events */
#define PROBE_MS 500 /* between probes of denied ways */
#define LIMIT_NS 100000000u /* time limit for an answer */

struct way {
	struct mrc_ctl_ev ev;
	int denied;
};

static struct mrc_context *mrc;
static struct way ways[WAYS_MOST];
static int way_count;
static uint64_t id;
static union ibv_gid peer;
static uint32_t base_rtt; /* ns, the lowest that was measured; 0: none */
static volatile sig_atomic_t ended;

static void on_end(int signal)
{
	ended = signal;
}

static void refuse(const char *what, const char *why)
{
	fprintf(stderr, "controller: %s: %s\n", what, why);
	exit(1);
}

static void must(int good, const char *what)
{
	if (!good)
		refuse(what, strerror(errno));
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL), **device = list;
	struct ibv_context *context;

	must(list != NULL, "devices");
	while (*device && strcmp(ibv_get_device_name(*device), name))
		device++;
	if (!*device)
		refuse(name, "no such device");
	context = ibv_open_device(*device);
	must(context != NULL, name);
	ibv_free_device_list(list);
	return context;
}

/* PORT=SID */
static void read_way(const char *text)
{
	char *sid;
	unsigned long port = strtoul(text, &sid, 10);
	struct way *way = &ways[way_count];

	if (way_count == WAYS_MOST)
		refuse(text, "too many paths");
	if (*sid != '=' || !port || port > 32 || inet_pton(AF_INET6, sid + 1, way->ev.val) != 1)
		refuse(text, "is not PORT=SID");
	way->ev.port = port;
	way_count++;
}

static void make_format(void)
{
	struct mrc_ctl_ev_fmt_field field = { 128 };
	struct mrc_ctl_ev_fmt_profile_attr attr = {
		.ev_fmt_mode = MRC_CTL_EV_FMT_MODE_SRV6,
		.ev_fmt_op = { MRC_CTL_EV_FMT_OP_MODIFY_FIELDS, &field, 1 },
	};

	const int state = MRC_CTL_EV_FMT_PROFILE_STATE;
	const int all = state | MRC_CTL_EV_FMT_PROFILE_MODE | MRC_CTL_EV_FMT_PROFILE_OP;

	must(!mrc_ctl_query_ev_fmt_profile(mrc, id, &attr, state), "format");
	if (attr.profile_state == MRC_CTL_PROFILE_ONLINE)
		return;
	attr.profile_state = MRC_CTL_PROFILE_OFFLINE;
	must(!mrc_ctl_modify_ev_fmt_profile(mrc, id, &attr, all), "format");
	attr.profile_state = MRC_CTL_PROFILE_ONLINE;
	must(!mrc_ctl_modify_ev_fmt_profile(mrc, id, &attr, state), "format");
}

static void step(struct mrc_ctl_ev_profile_attr *attr, enum mrc_ctl_profile_state state, int mask)
{
	mask |= MRC_CTL_EV_PROFILE_STATE;
	attr->profile_state = state;
	must(!mrc_ctl_modify_ev_profile(mrc, id, attr, mask), "EV profile");
}

static void make_ev_profile(enum mrc_ctl_profile_state now)
{
	struct mrc_ctl_ev_op_entry entries[WAYS_MOST];
	struct mrc_ctl_ev_profile_attr attr = {
		.ev_mode = MRC_CTL_EV_MODE_EXP,
		.ev_fmt_profile_id = id,
		.ev_count = way_count,
		.ev_min_active = 1,
		.ev_event_mask = MRC_CTL_EV_GOOD | MRC_CTL_EV_ASSUMED_BAD,
		.ev_op = { MRC_CTL_EV_OP_REPLACE_EV, entries, way_count },
	};
	int i;

	memset(entries, 0, sizeof(entries));
	for (i = 0; i < way_count; i++)
		entries[i].ev_new = ways[i].ev;
	if (now == MRC_CTL_PROFILE_OFFLINE)
		step(&attr, MRC_CTL_PROFILE_INIT, 0);
	step(&attr, MRC_CTL_PROFILE_OFFLINE,
	     MRC_CTL_EV_PROFILE_MODE | MRC_CTL_EV_PROFILE_FMT_ID | MRC_CTL_EV_PROFILE_COUNT |
	     MRC_CTL_EV_PROFILE_MIN_ACTIVE | MRC_CTL_EV_PROFILE_EVENT_MASK |
	     MRC_CTL_EV_PROFILE_EV_OP);
	step(&attr, MRC_CTL_PROFILE_ONLINE, 0);
}

/* Makes the CC profile with the base RTT that the probes have measured. */
static void set_cc_profile(void)
{
	struct mrc_ctl_cc_nscc_cfg config = { .base_rtt = base_rtt };
	struct mrc_ctl_cc_profile_attr attr = { .algorithm = "uet-1.0-nscc", .cc_config = &config };
	const int state = MRC_CTL_CC_PROFILE_STATE;
	const int make = state | MRC_CTL_CC_PROFILE_ALGORITHM;
	const int go = state | MRC_CTL_CC_PROFILE_CONFIG;

	must(!mrc_ctl_query_cc_profile(mrc, id, &attr, state), "CC profile");
	if (attr.profile_state == MRC_CTL_PROFILE_INIT) {
		attr.profile_state = MRC_CTL_PROFILE_OFFLINE;
		must(!mrc_ctl_modify_cc_profile(mrc, id, &attr, make), "CC profile");
	}
	attr.profile_state = MRC_CTL_PROFILE_ONLINE;
	must(!mrc_ctl_modify_cc_profile(mrc, id, &attr, go), "CC profile");
	printf("base rtt %u ns\n", base_rtt);
}

static void set_denied(int way, int denied, const char *why)
{
	struct mrc_ctl_ev_op_entry entry = { .ev = ways[way].ev };
	struct mrc_ctl_ev_profile_attr attr = {
		.ev_op = { MRC_CTL_EV_OP_MODIFY_EV_STATE, &entry, 1 },
	};

	if (ways[way].denied == denied)
		return;
	entry.state = denied ? MRC_CTL_EV_DENIED : MRC_CTL_EV_GOOD;
	must(!mrc_ctl_modify_ev_profile(mrc, id, &attr, MRC_CTL_EV_PROFILE_EV_OP), "EV");
	ways[way].denied = denied;
	printf("way %d port %d %s\n", way + 1, ways[way].ev.port, why);
}

static int find_way(const struct mrc_ctl_ev *ev)
{
	int i;

	for (i = 0; i < way_count; i++)
		if (!memcmp(ev, &ways[i].ev, sizeof(*ev)))
			return i;
	return -1;
}

/* Reads the states that the ways have already, or makes the profile if there is none. */
static void look(void)
{
	struct mrc_ctl_ev_op_entry entries[WAYS_MOST];
	struct mrc_ctl_ev_profile_attr attr = {
		.ev_op = { MRC_CTL_EV_OP_QUERY_EV_ARRAY, entries, WAYS_MOST },
	};
	const int mask = MRC_CTL_EV_PROFILE_STATE | MRC_CTL_EV_PROFILE_EV_OP;
	int i;

	must(!mrc_ctl_query_ev_profile(mrc, id, &attr, mask), "EV profile");
	if (attr.profile_state != MRC_CTL_PROFILE_ONLINE) {
		make_ev_profile(attr.profile_state);
		return;
	}
	for (i = 0; i < attr.ev_op.entry_count; i++) {
		int way = find_way(&entries[i].ev);

		if (way < 0 || attr.ev_op.entry_count != way_count)
			refuse("EV profile", "has other paths: take the profile OFFLINE first");
		ways[way].denied = entries[i].state == MRC_CTL_EV_DENIED;
		if (entries[i].state == MRC_CTL_EV_ASSUMED_BAD)
			set_denied(way, 1, "is assumed bad: denied");
	}
}

/* Probes each way, or each denied way, to learn the base RTT and which ways work. */
static void probe(int only_denied)
{
	struct mrc_ctl_ep_req requests[WAYS_MOST];
	struct mrc_ctl_ep_rsp answers[WAYS_MOST];
	int i, count = 0, answered = 0, alive[WAYS_MOST] = { 0 };
	uint32_t least = base_rtt;

	memset(requests, 0, sizeof(requests));
	for (i = 0; i < way_count; i++) {
		if (only_denied && !ways[i].denied)
			continue;
		requests[count].req_id = i;
		requests[count].dgid = peer;
		requests[count].ev_fmt_mode = MRC_CTL_EV_FMT_MODE_SRV6;
		requests[count++].req_ev = ways[i].ev;
	}
	/* If probes could not be sent, that says nothing about the ways. */
	if (!count || (mrc_ctl_ep_batch_send_wait(mrc, 0, MRC_CTL_EP_OP_EV_PROBE, requests, count,
						  LIMIT_NS, answers, &answered) &&
		       errno != ETIMEDOUT))
		return;
	for (i = 0; i < answered; i++) {
		alive[answers[i].req_id] = 1;
		if (!least || answers[i].rtt < least)
			least = answers[i].rtt;
	}
	for (i = 0; i < count; i++) {
		int way = requests[i].req_id;

		set_denied(way, !alive[way], alive[way] ? "answers: allowed" : "no answer: denied");
	}
	if (!base_rtt && least) {
		base_rtt = least;
		set_cc_profile();
	}
}

static void watch(struct mrc_cq *events)
{
	const struct timespec pause = { 0, LOOK_MS * 1000000L };
	struct mrc_ctl_ev_event event;
	int found, way, looks = 0;

	while (!ended) {
		while ((found = mrc_ctl_poll_ev_event(events, 1, &event)) > 0) {
			if (event.drop_count)
				look();
			way = event.profile_id == id ? find_way(&event.ev) : -1;
			if (way >= 0 && event.state == MRC_CTL_EV_ASSUMED_BAD)
				set_denied(way, 1, "is assumed bad: denied");
		}
		errno = -found;
		must(found == 0, "events");
		if (++looks % (PROBE_MS / LOOK_MS) == 0)
			probe(base_rtt != 0);
		nanosleep(&pause, NULL);
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_end };
	struct mrc_cq *events;
	int i;

	if (argc < 5)
		refuse("usage", "controller DEVICE ID GID PORT=SID...");
	id = strtoull(argv[2], NULL, 10);
	if (!id || inet_pton(AF_INET6, argv[3], peer.raw) != 1)
		refuse(argv[3], "is not a GID, or ID is 0");
	for (i = 4; i < argc; i++)
		read_way(argv[i]);
	sigaction(SIGTERM, &action, NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	mrc = mrc_create_context(open_device(argv[1]), NULL);
	must(mrc != NULL, argv[1]);
	make_format();
	events = mrc_ctl_create_ev_event_cq(mrc, 128, NULL, NULL, 0);
	must(events != NULL, "events");
	look();
	probe(0);
	watch(events);
	must(!mrc_destroy_context(mrc), "end");
	return 0;
}
