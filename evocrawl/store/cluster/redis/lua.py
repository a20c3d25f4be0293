"""The Lua scripts that change the crawl atomically in Redis, each within one slot.

Times are the server's, in milliseconds, so the clocks of workers need not agree. A worker may run
any script again with the same arguments when a response was lost.

The last key and argument of every script are the mark of its slot and the epoch of the crawl. If
they do not match, Redis has lost the crawl, and the script changes nothing. The mark of a shard
also counts its hosts with open links, so a lost set of hosts is not mistaken for an empty one.
"""

from __future__ import annotations

GONE = "GONE"
"""First word of the error that a script returns when Redis has lost the crawl."""

_BEGIN = """
local mark, epoch = table.remove(KEYS), table.remove(ARGV)
local gone = redis.error_reply('GONE the state of the crawl is not here')
if redis.call('HGET', mark, 'epoch') ~= epoch then return gone end
local function count(hosts)
  if hosts ~= 0 then redis.call('HINCRBY', mark, 'hosts', hosts) end
end
local function now()
  local t = redis.call('TIME')
  return t[1] * 1000 + math.floor(t[2] / 1000)
end
local function alive(key, session, t)
  local deadline = session and tonumber(redis.call('HGET', key, session) or '')
  return deadline and deadline > t
end
local function holder(lease)
  return lease and string.match(lease, '^(%d+)%.%d+$')
end
"""

JOIN = """
-- KEYS workers changes  ARGV ttl run  -> the number of a new worker, which is alive from now on
local t = now()
local is_first = true
for _, row in ipairs(redis.call('HVALS', KEYS[1])) do
  local deadline = tonumber(string.match(row, '^%d+') or '')
  if deadline and deadline > t then is_first = false end
end
if is_first then redis.call('RPUSH', KEYS[2], ARGV[2]) end
local session = redis.call('HINCRBY', mark, 'sessions', 1)
redis.call('HSET', KEYS[1], session, string.format('%d 0 0 0 %d', t + ARGV[1], t))
return session
"""
"""The changes of a user get the row `run` where no other worker is alive."""

TAKE = """
-- KEYS alive owner version  ARGV session ttl host  -> {1, lease, was another's} or {0, lease}
local t = now()
local held = redis.call('HGET', KEYS[2], ARGV[3])
local session = holder(held)
if session == ARGV[1] then
  redis.call('HSET', KEYS[1], ARGV[1], t + ARGV[2])
  return {1, held, 0}
end
if session then
  if alive(KEYS[1], session, t) then return {0, held} end
  redis.call('HDEL', KEYS[1], session)
end
local lease = ARGV[1] .. '.' .. redis.call('INCR', KEYS[3])
redis.call('HSET', KEYS[2], ARGV[3], lease)
redis.call('HSET', KEYS[1], ARGV[1], t + ARGV[2])
return {1, lease, held and 1 or 0}
"""
"""Lease a host without a live owner. Remove its dead owner from the shard."""

RENEW = """
-- KEYS alive  ARGV session ttl  -> 1, or 0 where this worker was cast out
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], now() + ARGV[2])
return 1
"""

RELEASE = """
-- KEYS owner  ARGV host lease
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], '0.0')
return 1
"""
"""Release a host. `TAKE` reports to the next owner that the host had another owner."""

OFFER = """
-- KEYS open done todo version owner alive  ARGV host target link target link ...
--   -> {the host's live owner or '', the places, from 0, of links that were open, of settled ones}
local session = holder(redis.call('HGET', KEYS[5], ARGV[1]))
local open, done = {}, {}
for i = 2, #ARGV, 2 do
  if redis.call('HEXISTS', KEYS[2], ARGV[i]) == 1 then
    done[#done + 1] = i / 2 - 1
  elseif redis.call('HSETNX', KEYS[1], ARGV[i], ARGV[i + 1]) == 0 then
    open[#open + 1] = i / 2 - 1
  end
end
if 2 * (#open + #done) < #ARGV - 1 then
  count(redis.call('SADD', KEYS[3], ARGV[1]))
  redis.call('INCR', KEYS[4])
end
return {alive(KEYS[6], session, now()) and session or '', open, done}
"""

SETTLE = """
-- KEYS owner open done todo version  ARGV host lease target outcome
--   -> 1, or 0 where the host is another's by now
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
local open = redis.call('HLEN', KEYS[2])
if (open > 0) ~= (redis.call('SISMEMBER', KEYS[4], ARGV[1]) == 1) then return gone end
redis.call('HDEL', KEYS[2], ARGV[3])
redis.call('HSETNX', KEYS[3], ARGV[3], ARGV[4])
if redis.call('HLEN', KEYS[2]) == 0 then count(-redis.call('SREM', KEYS[4], ARGV[1])) end
redis.call('INCR', KEYS[5])
return 1
"""

RECORD = """
-- KEYS owner pages contents bodies  ARGV host lease page record content body
--   -> 1, or 0 where the host is another's by now; a page is recorded once
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
if redis.call('HSETNX', KEYS[2], ARGV[3], ARGV[4]) == 1 then
  redis.call('HSET', KEYS[3], ARGV[3], ARGV[5])
  if ARGV[6] ~= '' then redis.call('HSET', KEYS[4], ARGV[3], ARGV[6]) end
end
return 1
"""

VISIT = """
-- KEYS guests  ARGV agent row
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
"""

TELL = """
-- KEYS stream ...  ARGV most ttl worker kind host body ...
-- an event for each stream, which differ by their bodies
for i, stream in ipairs(KEYS) do
  redis.call('XADD', stream, 'MAXLEN', '~', ARGV[1], '*', 'by', ARGV[3], 'kind', ARGV[4],
             'host', ARGV[5], 'body', ARGV[5 + i])
  redis.call('PEXPIRE', stream, ARGV[2])
end
return 1
"""

WELCOME = """
-- KEYS owner guests  ARGV host lease  -> the agents that had come, who are taken in now
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return {} end
local guests = redis.call('HVALS', KEYS[2])
redis.call('DEL', KEYS[2])
return guests
"""

VACANT = """
-- KEYS todo owner alive  ARGV most session  -> some hosts with open links that no other alive has
local t = now()
local found = {}
for _, host in ipairs(redis.call('SRANDMEMBER', KEYS[1], ARGV[1])) do
  local session = holder(redis.call('HGET', KEYS[2], host))
  if session == ARGV[2] or not alive(KEYS[3], session, t) then found[#found + 1] = host end
end
return found
"""
"""The hosts include those of the asking worker: a release may have failed.

Its lease lasts while it has other hosts in the shard, so no other worker could take such a host.
"""

DISCARD = """
-- KEYS open todo version  ARGV host target  -> 1 where the entry was there
local was = redis.call('HDEL', KEYS[1], ARGV[2])
if redis.call('HLEN', KEYS[1]) == 0 then count(-redis.call('SREM', KEYS[2], ARGV[1])) end
redis.call('INCR', KEYS[3])
return was
"""
"""Delete an open link that cannot be read."""

BEAT = """
-- KEYS workers status  ARGV session ttl hosts need row chance fresh
-- -> {session, hosts, need, chance or 0 if it is older than `fresh` ms, ...} of all alive
local t = now()
redis.call('HSET', KEYS[2], ARGV[1], ARGV[5])
redis.call('HSET', KEYS[1], ARGV[1], string.format('%d %d %d %d %d', t + ARGV[2], ARGV[3], ARGV[4],
                                                   ARGV[6], t))
local all = redis.call('HGETALL', KEYS[1])
local living = {}
for i = 1, #all, 2 do
  local deadline, hosts, need, chance, at =
    string.match(all[i + 1], '^(%d+) (%d+) (%d+) (%d+) (%d+)$')
  if deadline and tonumber(deadline) > t then
    if at + ARGV[7] < t then chance = '0' end
    for _, each in ipairs({all[i], hosts, need, chance}) do living[#living + 1] = each end
  elseif not deadline or tonumber(deadline) + 10 * ARGV[2] < t then
    redis.call('HDEL', KEYS[1], all[i])
    redis.call('HDEL', KEYS[2], all[i])
  end
end
return living
"""

BUDGET = """
-- KEYS budget  ARGV session call wanted limit workers  -> {requests given, requests left}
-- wanted < 0 gives back
local taken = tonumber(redis.call('HGET', KEYS[1], 'taken') or '0') or 0
local given = 0
if redis.call('HGET', KEYS[1], 'call:' .. ARGV[1]) == ARGV[2] then
  given = tonumber(redis.call('HGET', KEYS[1], 'given:' .. ARGV[1]))
else
  local wanted, left = tonumber(ARGV[3]), tonumber(ARGV[4]) - taken
  given = wanted
  if wanted > 0 then
    given = math.max(0, math.min(wanted, left, math.max(1, math.floor(left / (2 * ARGV[5])))))
  end
  taken = taken + given
  redis.call('HSET', KEYS[1], 'taken', taken, 'call:' .. ARGV[1], ARGV[2],
             'given:' .. ARGV[1], given)
end
return {given, math.max(0, tonumber(ARGV[4]) - taken)}
"""

TALLY = """
-- KEYS todo version  -> {hosts with open links, changes so far}
local hosts = redis.call('SCARD', KEYS[1])
if hosts < tonumber(redis.call('HGET', mark, 'hosts') or '0') then return gone end
return {hosts, tonumber(redis.call('GET', KEYS[2]) or '0')}
"""

LOOK = """
-- KEYS inbox changes leases  ARGV after most applied leases_after ("": now)
-- -> {entries of the inbox after `after`, the first change after the first `applied`, if any,
--     leases after `leases_after`, `leases_after`}
local function entries(key, after, most)
  local news = redis.call('XREAD', 'COUNT', most, 'STREAMS', key, after)
  return news and news[1] and news[1][2] or {}
end
local since = ARGV[4] ~= '' and ARGV[4] or string.format('%d-0', now() - 1)
return {entries(KEYS[1], ARGV[1], ARGV[2]), redis.call('LRANGE', KEYS[2], ARGV[3], ARGV[3]),
        entries(KEYS[3], since, 10 * ARGV[2]), since}
"""

STEER = """
-- KEYS changes  ARGV change  -> the number of changes
return redis.call('RPUSH', KEYS[1], ARGV[1])
"""

HAS_OPEN = """
-- KEYS open todo  ARGV host  -> 1 where the host has open links
local open = redis.call('HLEN', KEYS[1])
if (open > 0) ~= (redis.call('SISMEMBER', KEYS[2], ARGV[1]) == 1) then return gone end
return math.min(open, 1)
"""

SOURCES = {
    name: _BEGIN + source
    for name, source in (
        ("offer", OFFER), ("record", RECORD), ("settle", SETTLE), ("visit", VISIT), ("tell", TELL),
        ("take", TAKE), ("renew", RENEW), ("release", RELEASE), ("welcome", WELCOME),
        ("vacant", VACANT), ("discard", DISCARD), ("beat", BEAT), ("budget", BUDGET),
        ("tally", TALLY), ("join", JOIN), ("has_open", HAS_OPEN), ("steer", STEER),
        ("look", LOOK),
    )
}  # fmt: skip
"""Every script by name, in loading order.

A worker offers links before it records their page, and records a page before it settles the visit.
With this order, no script is loaded before the scripts that must run before it.
"""

KEPT = frozenset(SOURCES) - {"beat", "renew", "tell", "tally", "vacant", "has_open", "look"}
"""Scripts whose changes a Redis Cluster must not lose with a node; see `nodes`.

The others change nothing, or are repeated within a second, or (the news) only save time.
"""
