import { createHash } from 'node:crypto'

/** A Lua script with the name under which Redis caches it. Redis runs a script as one step: nothing comes between. */
export interface Script {
  readonly sha: string
  readonly lua: string
}

/** Answers of {@link WRITE_ROWS} for a row. Other numbers are the seq of the row that made it stale. */
export const APPLIED = -2
const NOTHING_STORED = -1
/** The only answer of {@link WRITE_ROWS} if it would make an entity that was not listed for this call: nothing was done. */
export const NOT_LISTED = -3

/**
 * The field among an entity's seqs that every change of the entity makes another number: who finds the same before and
 * after reading has read one state. It begins with the time, so that no entity of the same name had it before. Keys of
 * rows hold no U+0000.
 */
export const STATE = '\0'
const STATE_IN_LUA = '\\0'

/**
 * Writes rows of one entity. KEYS: records, seqs, keys. ARGV: `listed` or nothing, then key, seq, guard and record of each
 * row. Returns an answer a row. Seqs are below 2^53, which Lua's numbers hold exactly. Records are read only where the
 * seqs are equal, and compared without the 24 bytes of their heads.
 */
export const WRITE_ROWS: Script = script(`
local out, exists, isNew, changed = {}, false, false, false
for i = 2, #ARGV, 4 do
  local key, seq, guard, record = ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2], ARGV[i + 3]
  local found = redis.call('HGET', KEYS[2], key)
  local stored = found and tonumber(found)
  local applies
  if guard == 'm' then applies = not stored or stored <= seq
  elseif not stored then applies = guard == 'a'
  else
    applies = (guard ~= 'a' and stored == tonumber(guard))
      or (stored == seq and string.sub(redis.call('HGET', KEYS[1], key), 25) == string.sub(record, 25))
  end
  if applies and not stored and not exists then
    isNew = redis.call('EXISTS', KEYS[3]) == 0
    if isNew and ARGV[1] == '' then return {${NOT_LISTED}} end
    exists = true
  end
  if applies then
    redis.call('HSET', KEYS[1], key, record)
    redis.call('HSET', KEYS[2], key, ARGV[i + 1])
    if not stored then redis.call('ZADD', KEYS[3], 0, key) end
    out[#out + 1] = ${APPLIED}
    changed = true
  else
    out[#out + 1] = stored or ${NOTHING_STORED}
  end
end
if isNew then
  local now = redis.call('TIME')
  redis.call('HSET', KEYS[2], '${STATE_IN_LUA}', string.format('%.0f', now[1] * 1000000 + now[2]))
elseif changed then
  redis.call('HINCRBY', KEYS[2], '${STATE_IN_LUA}', 1)
end
return out
`)

/**
 * Reads rows of one entity in the order of their keys. KEYS: records, keys. ARGV: lower and upper bound for ZRANGEBYLEX,
 * the most rows, the most bytes. Returns keys, and the records of the first of them, at least one, up to the bytes.
 */
export const SCAN_ROWS: Script = script(`
local keys = redis.call('ZRANGEBYLEX', KEYS[2], ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3])
local records, bytes = {}, 0
for i = 1, #keys do
  records[i] = redis.call('HGET', KEYS[1], keys[i])
  bytes = bytes + #records[i]
  if bytes >= tonumber(ARGV[4]) then break end
end
return {keys, records}
`)

/**
 * Removes rows of one entity. KEYS: records, seqs, keys. ARGV: key and expected seq (or nothing) of each. Returns how many
 * went and whether any are left.
 */
export const REMOVE_ROWS: Script = script(`
local removed = 0
for i = 1, #ARGV, 2 do
  local found = redis.call('HGET', KEYS[2], ARGV[i])
  if found and (ARGV[i + 1] == '' or found == ARGV[i + 1]) then
    redis.call('HDEL', KEYS[1], ARGV[i])
    redis.call('HDEL', KEYS[2], ARGV[i])
    redis.call('ZREM', KEYS[3], ARGV[i])
    removed = removed + 1
  end
end
if redis.call('EXISTS', KEYS[3]) == 0 then
  redis.call('DEL', KEYS[2])
  return {removed, 0}
end
if removed > 0 then redis.call('HINCRBY', KEYS[2], '${STATE_IN_LUA}', 1) end
return {removed, 1}
`)

/** Removes an entity. KEYS: records, seqs, keys. Returns how many rows went; their memory is freed in the background. */
export const REMOVE_ENTITY: Script = script(`
local removed = redis.call('ZCARD', KEYS[3])
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
return {removed}
`)

function script(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}
