// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A queue of objects that wait for their turn: first in, first out. The links are in the objects.
 */
#pragma once

namespace mrcsim
{

/** Base of objects that can stand in one line. */
template <class T>
struct InLine {
    T *behind = nullptr;
    bool waits = false;
};

/** A line of T, which are derived from InLine<T>. */
template <class T>
class Line
{
public:
    [[nodiscard]] bool empty() const { return !first_; }

    void push(T *one)
    {
        one->waits = true;
        one->behind = nullptr;
        (first_ ? last_->behind : first_) = one;
        last_ = one;
    }

    T *pop()
    {
        T *one = first_;
        first_ = one->behind;
        one->waits = false;
        return one;
    }

private:
    T *first_ = nullptr;
    T *last_ = nullptr; ///< valid unless it is empty
};

} // namespace mrcsim
