// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/parallel/turns.hpp"

#include <vector>

#include "check.hpp"

namespace hedgerow::parallel {
namespace {

using Answer = Turns::Answer;

constexpr bool read = false, change = true;

void nobody(Waiter&) { CHECK(false); }

/// Leaves, and returns who came in.
std::vector<ThreadId> after_leaving(Turns& turns, ThreadId thread) {
  std::vector<ThreadId> woken;
  turns.leave(thread, [&](Waiter& waiter) { woken.push_back(waiter.thread); });
  return woken;
}

TEST(readers_enter_together_and_a_change_alone) {
  Turns turns;
  CHECK(turns.ask(1, read) == Answer::enter);
  CHECK(turns.ask(2, read) == Answer::enter);
  CHECK(turns.ask(3, change) == Answer::wait);
  turns.leave(1, nobody);
  CHECK(turns.ask(3, change) == Answer::wait);
  turns.leave(2, nobody);
  CHECK(turns.ask(3, change) == Answer::enter);
  CHECK(turns.ask(1, read) == Answer::wait);
  CHECK(turns.ask(1, change) == Answer::wait);
  turns.leave(3, nobody);
  CHECK(turns.ask(1, read) == Answer::enter);
}

TEST(who_is_in_may_enter_again) {
  Turns turns;
  Waiter waiter{2, change};
  CHECK(turns.ask(1, read) == Answer::enter);
  CHECK(turns.ask(2, change, &waiter) == Answer::wait);
  CHECK(turns.ask(1, read) == Answer::enter);  // though somebody waits for it to leave
  CHECK(turns.ask(1, change) == Answer::never);
  CHECK(after_leaving(turns, 1).empty());
  CHECK((after_leaving(turns, 1) == std::vector<ThreadId>{2}));
  CHECK(waiter.is_in);
  CHECK(turns.ask(2, change) == Answer::enter);
  CHECK(turns.ask(2, read) == Answer::enter);
  for (int i = 0; i < 2; ++i) turns.leave(2, nobody);
  CHECK(turns.ask(1, read) == Answer::wait);
  turns.leave(2, nobody);
  CHECK(turns.ask(1, read) == Answer::enter);
}

TEST(nobody_is_overtaken) {
  Turns turns;
  Waiter first{2, change}, second{3, read}, third{4, read}, fourth{5, change};
  CHECK(turns.ask(1, read) == Answer::enter);
  CHECK(turns.ask(2, change, &first) == Answer::wait);
  CHECK(turns.ask(3, read, &second) == Answer::wait);
  CHECK(turns.ask(4, read, &third) == Answer::wait);
  CHECK(turns.ask(5, change, &fourth) == Answer::wait);
  CHECK((after_leaving(turns, 1) == std::vector<ThreadId>{2}));
  CHECK(turns.ask(1, read) == Answer::wait);
  CHECK((after_leaving(turns, 2) == std::vector<ThreadId>{3, 4}));
  CHECK(after_leaving(turns, 3).empty());
  CHECK((after_leaving(turns, 4) == std::vector<ThreadId>{5}));
  CHECK(after_leaving(turns, 5).empty());
}

TEST(who_gives_up_makes_room) {
  Turns turns;
  Waiter writer{2, change}, reader{3, read};
  CHECK(turns.ask(1, read) == Answer::enter);
  CHECK(turns.ask(2, change, &writer) == Answer::wait);
  CHECK(turns.ask(3, read, &reader) == Answer::wait);
  turns.give_up(writer, [&](Waiter& woken) { CHECK(&woken == &reader); });
  CHECK(reader.is_in && !writer.is_in);
  turns.leave(3, nobody);
  turns.leave(1, nobody);
  CHECK(turns.ask(4, change) == Answer::enter);
  // One that was let in before it noticed leaves again.
  Waiter late{5, change};
  CHECK(turns.ask(5, change, &late) == Answer::wait);
  CHECK((after_leaving(turns, 4) == std::vector<ThreadId>{5}));
  turns.give_up(late, nobody);
  CHECK(turns.ask(6, change) == Answer::enter);
}

TEST(only_one_thread_survives_a_fork) {
  Turns turns;
  CHECK(turns.ask(1, read) == Answer::enter);
  CHECK(turns.ask(2, read) == Answer::enter);
  CHECK(!turns.keep_only(1));
  CHECK(turns.ask(1, change) == Answer::never);
  turns.leave(1, nobody);
  CHECK(turns.ask(1, change) == Answer::enter);
  CHECK(!turns.keep_only(1));
  CHECK(turns.ask(2, read) == Answer::wait);
  CHECK(turns.keep_only(2));  // the other was changing something
  CHECK(!turns.keep_only(2));
  CHECK(turns.ask(2, change) == Answer::enter);
}

}  // namespace
}  // namespace hedgerow::parallel
