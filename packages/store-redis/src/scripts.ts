import { createHash } from 'node:crypto'

/** A Lua script with the name under which Redis caches it. Redis runs a script as one step: nothing comes between. */
export interface Script {
  readonly sha: string
  readonly lua: string
}

/** Answers of {@link WRITE_ROWS} for a row. Other numbers are the seq of the row that made it stale. */
export const APPLIED = -2
const NOTHING_STORED = -1
/** The only answer of {@link WRITE_ROWS} if the entity has no rows and was not listed for this call: nothing was done. */
export const NOT_LISTED = -3

/**
 * Writes rows of one entity. KEYS: records, heads, keys. ARGV: `listed` or nothing, then for each row its key, seq, head,
 * guard (`m`, `a` or the expected seq) and record. Returns an answer a row. Seqs are below 2^53, which Lua's numbers hold
 * exactly.
 */
export const WRITE_ROWS: Script = script(`
if ARGV[1] == '' and redis.call('EXISTS', KEYS[3]) == 0 then return {${NOT_LISTED}} end
local out = {}
for i = 2, #ARGV, 5 do
  local key, seq, head, guard, rec = ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]
  local found = redis.call('HGET', KEYS[2], key)
  local stored = found and tonumber(string.match(found, '^%d+'))
  local applies
  if guard == 'm' then applies = not stored or stored <= seq
  elseif not stored then applies = guard == 'a'
  else
    applies = (guard ~= 'a' and stored == tonumber(guard))
      or (stored == seq and redis.call('HGET', KEYS[1], key) == rec)
  end
  if applies then
    redis.call('HSET', KEYS[1], key, rec)
    redis.call('HSET', KEYS[2], key, head)
    if not stored then redis.call('ZADD', KEYS[3], 0, key) end
    out[#out + 1] = ${APPLIED}
  else
    out[#out + 1] = stored or ${NOTHING_STORED}
  end
end
return out
`)

/**
 * Reads rows of one entity by key. KEYS: records, heads. ARGV: the most bytes to return, then keys. Returns head and record
 * of each, both nil where there is no row, and stops early once the bytes are reached.
 */
export const LOAD_ROWS: Script = script(`
local out, bytes = {}, 0
for i = 2, #ARGV do
  local rec = redis.call('HGET', KEYS[1], ARGV[i])
  out[#out + 1] = redis.call('HGET', KEYS[2], ARGV[i])
  out[#out + 1] = rec
  bytes = bytes + (rec and #rec or 0)
  if bytes >= tonumber(ARGV[1]) then break end
end
return out
`)

/**
 * Reads rows of one entity in the order of their keys. KEYS: records, heads, keys. ARGV: the most bytes to return, lower
 * and upper bound for ZRANGEBYLEX, the most rows. Returns whether there may be more, then key, head and record of each.
 */
export const SCAN_ROWS: Script = script(`
local found = redis.call('ZRANGEBYLEX', KEYS[3], ARGV[2], ARGV[3], 'LIMIT', 0, ARGV[4])
local out, bytes = {#found == tonumber(ARGV[4]) and 1 or 0}, 0
for i, key in ipairs(found) do
  local rec = redis.call('HGET', KEYS[1], key)
  out[#out + 1] = key
  out[#out + 1] = redis.call('HGET', KEYS[2], key)
  out[#out + 1] = rec
  bytes = bytes + #rec
  if bytes >= tonumber(ARGV[1]) and i < #found then
    out[1] = 1
    break
  end
end
return out
`)

/**
 * Removes rows of one entity. KEYS: records, heads, keys. ARGV: key and expected seq (or nothing) of each. Returns how many
 * went and whether any are left.
 */
export const REMOVE_ROWS: Script = script(`
local removed = 0
for i = 1, #ARGV, 2 do
  local found = redis.call('HGET', KEYS[2], ARGV[i])
  if found and (ARGV[i + 1] == '' or string.match(found, '^%d+') == ARGV[i + 1]) then
    redis.call('HDEL', KEYS[1], ARGV[i])
    redis.call('HDEL', KEYS[2], ARGV[i])
    redis.call('ZREM', KEYS[3], ARGV[i])
    removed = removed + 1
  end
end
return {removed, redis.call('EXISTS', KEYS[3])}
`)

/** Removes an entity. KEYS: records, heads, keys. Returns how many rows went; their memory is freed in the background. */
export const REMOVE_ENTITY: Script = script(`
local removed = redis.call('ZCARD', KEYS[3])
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
return {removed}
`)

function script(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}
