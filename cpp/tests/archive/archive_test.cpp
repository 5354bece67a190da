// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/archive/archive.hpp"

#include <limits>

#include "check.hpp"
#include "hedgerow/archive/reader.hpp"
#include "hedgerow/archive/writer.hpp"

namespace hedgerow::archive {
namespace {

std::string complaint_of(auto&& f) {
  try {
    f();
  } catch (const Broken& broken) {
    return broken.what();
  }
  return "";
}

TEST(what_was_written_is_read) {
  Archive archive;
  Writer<double> numbers(archive, "numbers");
  archive.add("counts", std::vector<std::uint64_t>{3, 1});
  numbers.append({1.5, 2.5});  // the array has not moved
  numbers.append(std::vector<double>{3.5});
  Reader<double> reader(archive, "numbers");
  CHECK(reader.next() == 1.5);
  CHECK((reader.copy(2) == std::vector<double>{2.5, 3.5}));
  reader.finish();
  CHECK((archive.get<std::uint64_t>("counts") == std::vector<std::uint64_t>{3, 1}));
  std::string names;
  archive.for_each([&](const std::string& name, const auto&) { names += name + " "; });
  CHECK(names == "numbers counts ");
}

TEST(arrays_that_are_missing_or_of_another_type_are_refused) {
  Archive archive;
  archive.add("counts", std::vector<std::uint64_t>{3});
  CHECK(complaint_of([&] { return archive.get<double>("numbers").size(); }) ==
        "the array numbers is missing or mistyped");
  CHECK(complaint_of([&] { return archive.get<std::uint32_t>("counts").size(); }) ==
        "the array counts is missing or mistyped");
}

TEST(a_reader_refuses_what_is_too_short_too_long_or_not_finite) {
  Archive archive;
  archive.add("numbers", std::vector<float>{1.0F, std::numeric_limits<float>::infinity(), 2.0F});
  Reader<float> reader(archive, "numbers");
  CHECK(reader.next() == 1.0F);
  CHECK(complaint_of([&] { reader.take(3); }) == "the array numbers is too short");
  CHECK(complaint_of([&] { reader.take(std::numeric_limits<std::size_t>::max()); }) ==
        "the array numbers is too short");
  CHECK(complaint_of([&] { reader.next(); }) == "a number of the array numbers is not finite");
  CHECK(complaint_of([&] { reader.finish(); }) == "the array numbers is too long");
}

TEST(what_is_required_must_hold) {
  require(true, "nothing");
  CHECK(complaint_of([] { require(false, "a row is lost"); }) == "a row is lost");
  CHECK(all_finite(std::vector<double>{0.0, 1e300}) && !all_finite(std::vector<double>{std::nan("")}));
}

}  // namespace
}  // namespace hedgerow::archive
