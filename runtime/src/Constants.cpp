//===- Constants.cpp - Where a program's constants are --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Constants.h"

#include "DevicePlan.h"
#include "executable_constants.h"

#include <algorithm>

using namespace dml::runtime;
using dml::executable::kRangeAlignment;

Constants::Constants(std::shared_ptr<Device> device, uint64_t size,
                     std::vector<std::pair<uint64_t, uint64_t>> ranges)
    : device(std::move(device)), size(size), ranges(std::move(ranges)) {
  std::sort(this->ranges.begin(), this->ranges.end());
  for (const auto &range : this->ranges) {
    if (!joined.empty() && range.first < joined.back().second)
      joined.back().second = std::max(joined.back().second, range.second);
    else
      joined.push_back(range);
  }
  places.emplace(0, Place{size});
}

Constants::Places::const_iterator Constants::find(uint64_t offset) const {
  return std::prev(places.upper_bound(offset));
}

/// Divides the place that has byte `offset` so that one begins there.
void Constants::cut(uint64_t offset) {
  if (offset >= size)
    return;
  auto it = std::prev(places.upper_bound(offset));
  if (it->first == offset)
    return;
  Place rest = it->second;
  if (rest.buffer)
    rest.offset += offset - it->first;
  places.emplace(offset, rest);
  it->second.end = offset;
}

/// Has the bytes from `begin` on, up to the place's end, lie at the place.
void Constants::assign(uint64_t begin, Place place) {
  cut(begin);
  cut(place.end);
  auto it = places.find(begin);
  places.erase(std::next(it), places.lower_bound(place.end));
  it->second = place;
  ++changes;
}

Status Constants::allocate(uint64_t begin, uint64_t end) {
  std::vector<std::pair<uint64_t, uint64_t>> inside;
  auto first = std::lower_bound(ranges.begin(), ranges.end(),
                                std::make_pair(begin, uint64_t(0)));
  for (; first != ranges.end() && first->first < end; ++first)
    inside.emplace_back(first->first - begin, first->second - begin);
  std::vector<uint64_t> cuts =
      chooseCuts(end - begin, std::move(inside),
                 device->snapshot().info.limits.maxMemoryAllocationSize);
  cuts.push_back(end - begin);
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    buffers.reserve(buffers.size() + 1);
    Expected<Owned<Buffer>> buffer =
        Buffer::create(device, cuts[i + 1] - cuts[i], DML_MEMORY_DEVICE,
                       "constant buffer", Buffer::Contents::Undefined);
    if (!buffer)
      return buffer.status();
    Place place{begin + cuts[i + 1], (*buffer)->handle(), 0, buffer->get()};
    buffers.push_back(std::move(*buffer));
    assign(begin + cuts[i], place);
  }
  return Status();
}

Status Constants::allocate() {
  // What lies side by side shares a buffer.
  for (auto it = places.begin(); it != places.end();) {
    if (it->second.buffer) {
      ++it;
      continue;
    }
    uint64_t begin = it->first, end = it->second.end;
    while (++it != places.end() && !it->second.buffer)
      end = it->second.end;
    DML_TRY(allocate(begin, end));
    it = places.lower_bound(end);
  }
  return Status();
}

/// Destroys the buffers in which no byte lies any more.
void Constants::dropUnused() {
  auto isUsed = [&](const Owned<Buffer> &buffer) {
    return std::any_of(places.begin(), places.end(), [&](const auto &place) {
      return place.second.own == buffer.get();
    });
  };
  buffers.erase(std::partition(buffers.begin(), buffers.end(), isUsed),
                buffers.end());
}

/// Returns the end of a weight's place, rounded up so that the next constant
/// begins at a multiple of the alignment.
static uint64_t getPlaceEnd(uint64_t end, uint64_t size) {
  end = (end + kRangeAlignment - 1) / kRangeAlignment * kRangeAlignment;
  return std::min(end, size);
}

Status Constants::takeBack(uint64_t offset, uint64_t bytes) {
  auto it = find(offset);
  if (it->second.own || !it->second.buffer)
    return Status();
  return allocate(offset, getPlaceEnd(offset + bytes, size));
}

Status Constants::placeAt(uint64_t offset, const DmlBufferRange &place) {
  uint64_t end = offset + place.size;
  for (uint64_t edge : {offset, end}) {
    auto behind = std::upper_bound(
        joined.begin(), joined.end(), edge,
        [](uint64_t at, const auto &range) { return at < range.first; });
    if (behind == joined.begin())
      continue;
    auto range = std::prev(behind);
    if (range->first < edge && edge < range->second)
      return makeError(DML_ERROR_UNSUPPORTED,
                       "cannot stay in the caller's buffer, since steps read "
                       "bytes ",
                       range->first, " to ", range->second,
                       " of the constants together, and the weight has bytes ",
                       offset, " to ", end);
  }
  assign(offset, {getPlaceEnd(end, size), place.buffer, place.offset});
  dropUnused();
  return Status();
}

DmlBufferRange Constants::range(uint64_t offset, uint64_t bytes) const {
  auto it = find(offset);
  return {it->second.buffer, it->second.offset + offset - it->first, bytes};
}

Status Constants::write(uint64_t offset, const void *data, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    auto it = find(offset + done);
    uint64_t from = offset + done - it->first;
    auto count = static_cast<size_t>(
        std::min<uint64_t>(bytes - done, it->second.end - it->first - from));
    DML_TRY(it->second.own->write(it->second.offset + from,
                                  static_cast<const char *>(data) + done,
                                  count));
    done += count;
  }
  return Status();
}

Status Constants::copy(uint64_t offset, const DmlBufferRange &source) {
  return device->runCommands([&](VkCommandBuffer commands) {
    for (uint64_t done = 0; done < source.size;) {
      auto it = find(offset + done);
      uint64_t from = offset + done - it->first;
      VkBufferCopy copy{
          source.offset + done, it->second.offset + from,
          std::min(source.size - done, it->second.end - it->first - from)};
      device->functions().CmdCopyBuffer(commands, source.buffer,
                                        it->second.buffer, 1, &copy);
      done += copy.size;
    }
  });
}
