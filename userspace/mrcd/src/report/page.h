// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The files of userspace/mrcd/page, built in.
 */
#pragma once

#include <string_view>

namespace mrcd
{

extern const std::string_view page_html;
extern const std::string_view page_css;
extern const std::string_view page_js;

} // namespace mrcd
