//===- Programs.cpp - The programs that a session keeps -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Programs.h"
#include "llvm/ADT/ScopeExit.h"

using namespace dml::session;

Expected<std::shared_ptr<Program>> Programs::get(const std::string &key,
                                                 const Maker &make) {
  std::unique_lock<std::mutex> lock(mutex);
  for (auto found = entries.find(key); found != entries.end();
       found = entries.find(key)) {
    std::shared_ptr<Entry> entry = found->second;
    changed.wait(lock, [&] { return entry->isDone; });
    entry->lastUse = ++clock;
    if (entry->program)
      return entry->program;
    // Whoever made the program has cancelled its own call, or had no memory,
    // which need not be so for this call.
    if (!entry->status.ok() && entry->status.result() != DML_ERROR_CANCELLED)
      return entry->status;
  }
  auto entry = std::make_shared<Entry>();
  entries[key] = entry;
  lock.unlock();
  // The calls that wait go on, too, where an exception leaves this one.
  auto finish = llvm::scope_exit([&] {
    if (!lock.owns_lock())
      lock.lock();
    entry->isDone = true;
    entry->lastUse = ++clock;
    if (!entry->program)
      entries.erase(key);
    changed.notify_all();
  });
  Expected<std::shared_ptr<Program>> made = make();
  lock.lock();
  entry->status = made.status();
  if (made)
    entry->program = *made;
  return made;
}

std::shared_ptr<Programs::Entry>
Programs::findOldest(const Program *used, uint64_t &bytes, std::string &key) {
  std::shared_ptr<Entry> oldest;
  bytes = 0;
  for (auto &[name, entry] : entries) {
    if (!entry->program)
      continue;
    bytes += entry->program->getBytes();
    if (entry->program.get() != used &&
        (!oldest || entry->lastUse < oldest->lastUse)) {
      oldest = entry;
      key = name;
    }
  }
  return oldest;
}

void Programs::trim(const Program *used) {
  // Programs are destroyed without the lock, since that takes long.
  std::vector<std::shared_ptr<Entry>> given;
  std::lock_guard<std::mutex> lock(mutex);
  while (true) {
    uint64_t bytes;
    std::string key;
    std::shared_ptr<Entry> oldest = findOldest(used, bytes, key);
    if (bytes <= budget || !oldest)
      return;
    entries.erase(key);
    given.push_back(std::move(oldest));
  }
}

std::pair<uint32_t, uint64_t> Programs::measure() {
  std::lock_guard<std::mutex> lock(mutex);
  std::pair<uint32_t, uint64_t> result{0, 0};
  for (auto &[name, entry] : entries)
    if (entry->program) {
      ++result.first;
      result.second += entry->program->getBytes();
    }
  return result;
}
