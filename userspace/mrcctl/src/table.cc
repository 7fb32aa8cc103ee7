// SPDX-License-Identifier: GPL-2.0-only
#include "table.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace mrcctl
{

namespace
{

/** A column is not cut to fewer characters than this as long as another one can be cut. */
constexpr size_t min_cut = 8;

/** Characters of a line, with the blanks between columns. */
size_t line_length(const std::vector<size_t> &widths)
{
    return std::accumulate(widths.begin(), widths.end(), widths.size() - 1);
}

/** Narrows a column as far as lines are too long, but to no less than @p least. */
void narrow(std::vector<size_t> &widths, size_t column, size_t least, size_t limit)
{
    const size_t length = line_length(widths);

    if (length > limit && widths[column] > least)
        widths[column] -= std::min(length - limit, widths[column] - least);
}

void pad(std::string &text, size_t width, bool left)
{
    if (text.size() < width)
        text.insert(left ? text.size() : 0, width - text.size(), ' ');
}

} // namespace

std::string cut_text(const std::string &text, size_t width, Cut cut)
{
    if (text.size() <= width)
        return text;
    if (!width)
        return "";
    if (cut == Cut::begin)
        return "+" + text.substr(text.size() - (width - 1));
    return text.substr(0, width - 1) + "+";
}

std::vector<size_t> Table::natural_widths() const
{
    std::vector<size_t> widths;

    for (const Column &column : columns_)
        widths.push_back(std::max(strlen(column.title), column.width));
    for (const auto &row : rows_)
        for (size_t i = 0; i < row.size(); i++)
            widths[i] = std::max(widths[i], row[i].text.size());
    return widths;
}

/**
 * Cuts columns that may be cut, from the right. If that is not enough, cuts all columns, to
 * nothing.
 */
std::vector<size_t> Table::widths(size_t limit) const
{
    std::vector<size_t> widths = natural_widths();

    for (size_t i = columns_.size(); limit && i--;)
        if (columns_[i].cut != Cut::never)
            narrow(widths, i, min_cut, limit);
    for (size_t i = columns_.size(); limit && i--;)
        narrow(widths, i, 0, limit);
    return widths;
}

void Table::print_row(Printer &p, const std::vector<Cell> &row,
                      const std::vector<size_t> &widths) const
{
    p.begin_object();
    for (size_t i = 0; i < row.size() && widths[i]; i++) {
        std::string text = cut_text(row[i].text, widths[i], columns_[i].cut);
        const bool last = i + 1 == row.size() || !widths[i + 1];

        if (!last || !columns_[i].left)
            pad(text, widths[i], columns_[i].left);
        p.plain(text, row[i].color);
    }
    p.end_object();
}

void Table::print(Printer &p, size_t width) const
{
    const std::vector<size_t> widths = this->widths(width);
    std::vector<Cell> heading;

    if (rows_.empty())
        return;
    for (const Column &column : columns_)
        heading.push_back({column.title});
    print_row(p, heading, widths);
    for (const auto &row : rows_)
        print_row(p, row, widths);
}

} // namespace mrcctl
