// SPDX-License-Identifier: GPL-2.0-only
#include "usid.h"

/* Offset at which the zeros at the end begin, rounded to whole uSIDs. */
static unsigned int mrc_usid_used(const u8 *carrier)
{
	unsigned int n = MRC_USID_CARRIER_LEN;

	while (n > MRC_USID_BLOCK_LEN && !carrier[n - 1] && !carrier[n - 2])
		n -= MRC_USID_LEN;
	return n;
}

static bool mrc_usid_has_hole(const u8 *carrier, unsigned int end)
{
	unsigned int n;

	for (n = MRC_USID_BLOCK_LEN; n < end; n += MRC_USID_LEN)
		if (!carrier[n] && !carrier[n + 1])
			return true;
	return false;
}

bool mrc_usid_append(u8 *carrier, u16 usid)
{
	unsigned int end = mrc_usid_used(carrier);

	if (!usid || end == MRC_USID_CARRIER_LEN || mrc_usid_has_hole(carrier, end))
		return false;
	carrier[end] = usid >> 8;
	carrier[end + 1] = usid & 0xff;
	return true;
}
