// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Text tables that fit into a window.
 */
#pragma once

#include <string>
#include <vector>

#include "printer.h"

namespace mrcctl
{

/** How cells of a column are shortened in a narrow window. A + stands for what is cut. */
enum class Cut { never, begin, end };

struct Column {
    const char *title;
    bool left = false; ///< left-aligned; numbers are right-aligned
    size_t width = 0;  ///< the least, so that the column stays in place while numbers change
    Cut cut = Cut::never;
};

struct Cell {
    std::string text;
    Color color = Color::none;
};

/** @p text, shortened to @p width characters. */
std::string cut_text(const std::string &text, size_t width, Cut cut);

/** Rows under a heading. */
class Table
{
public:
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    /** @param row one cell per column */
    void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }

    /**
     * Print heading and rows; nothing when there is no row.
     *
     * @param width of the longest line, at most; 0: no limit
     */
    void print(Printer &p, size_t width) const;

private:
    [[nodiscard]] std::vector<size_t> natural_widths() const;
    [[nodiscard]] std::vector<size_t> widths(size_t limit) const;
    void print_row(Printer &p, const std::vector<Cell> &row,
                   const std::vector<size_t> &widths) const;

    std::vector<Column> columns_;
    std::vector<std::vector<Cell>> rows_;
};

} // namespace mrcctl
