/** Where what `hash` reads and writes lies in its memory: the state of one block, the table, then blocks. */
export const STATE_AT = 0
export const TABLE_AT = 16
export const TABLE_BYTES: number = 32 * 16 * 16
export const BLOCKS_AT: number = TABLE_AT + TABLE_BYTES
const PAGE_BYTES = 65_536
/** How many bytes of blocks it takes at once; one block more lies behind, to be filled up with zeros. */
export const MAX_BLOCK_BYTES: number = PAGE_BYTES - BLOCKS_AT - 16

export interface PolyvalModule {
  memory: WebAssembly.Memory
  /** Hashes the blocks that begin at byte `start` or later, and before byte `end`, of those in the memory: at least one. */
  hash(this: void, start: number, end: number): void
}

/**
 * The inner loop of POLYVAL in WebAssembly, for JavaScript has no words of 64 and 128 bits and is three times slower. It
 * is assembled here because it is one function: for each block `state = sum of table[i][digit i of (state ^ block)]`, where
 * a digit has 4 bits, a multiple in the table 16 bytes, and the 32 look-ups are written out.
 *
 * Opcodes: https://webassembly.github.io/spec/core/binary/instructions.html
 */
export function polyvalModule(): PolyvalModule {
  const module = new WebAssembly.Module(
    new Uint8Array([
      ...MAGIC_AND_VERSION,
      ...section(1, [[0x60, ...list([[I32], [I32]]), ...list([])]]),
      ...section(3, [[0]]),
      ...section(5, [[0, 1]]),
      ...section(7, [
        [...text('memory'), 2, 0],
        [...text('hash'), 0, 0],
      ]),
      ...section(10, [sized(hashFunction())]),
    ]),
  )
  return new WebAssembly.Instance(module).exports as unknown as PolyvalModule
}

const MAGIC_AND_VERSION = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
const I32 = 0x7f
const I64 = 0x7e
const V128 = 0x7b

function hashFunction(): number[] {
  const [start, end, low, high, state] = [0, 1, 2, 3, 4]
  const locals = list([
    [2, I64],
    [1, V128],
  ])
  return [
    locals,
    [...i32(0), ...loadV128(STATE_AT), ...set(state)],
    LOOP,
    [...get(state), ...get(start), ...loadV128(BLOCKS_AT), ...XOR_V128, ...set(state)],
    [...get(state), ...halfOf(0), ...set(low)],
    [...get(state), ...halfOf(1), ...set(high)],
    multipleOf(low, TABLE_AT),
    [...multipleOf(high, TABLE_AT + TABLE_BYTES / 2), ...XOR_V128, ...set(state)],
    [...get(start), ...i32(16), ADD_I32, ...tee(start), ...get(end), LESS_I32, ...AGAIN_IF],
    [END],
    [...i32(0), ...get(state), ...storeV128(STATE_AT)],
    [END],
  ].flat()
}

/** The sum of the multiples by each of the 16 digits of half a block. */
function multipleOf(half: number, table: number): number[] {
  return Array.from({ length: 16 }, (_, digit) => {
    // The digit times the 16 bytes of a multiple.
    const shift = digit === 0 ? [...i64(4), SHIFT_LEFT_I64] : [...i64(4 * digit - 4), SHIFT_RIGHT_I64]
    const at = [...get(half), ...shift, ...i64(0xf0), AND_I64, TO_I32]
    const multiple = [...at, ...loadV128(table + digit * 256)]
    return digit === 0 ? multiple : [...multiple, ...XOR_V128]
  }).flat()
}

const LOOP = [0x03, 0x40]
const AGAIN_IF = [0x0d, 0]
const END = 0x0b
const ADD_I32 = 0x6a
const LESS_I32 = 0x49
const AND_I64 = 0x83
const SHIFT_LEFT_I64 = 0x86
const SHIFT_RIGHT_I64 = 0x88
const TO_I32 = 0xa7
const XOR_V128 = [0xfd, 0x51]
const get = (local: number) => [0x20, local]
const set = (local: number) => [0x21, local]
const tee = (local: number) => [0x22, local]
const i32 = (value: number) => [0x41, ...signed(value)]
const i64 = (value: number) => [0x42, ...signed(value)]
const loadV128 = (at: number) => [0xfd, 0, 4, ...unsigned(at)]
const storeV128 = (at: number) => [0xfd, 11, 4, ...unsigned(at)]
const halfOf = (lane: number) => [0xfd, 0x1d, lane]

function section(id: number, entries: number[][]): number[] {
  return [id, ...sized(list(entries))]
}

const list = (entries: number[][]) => [...unsigned(entries.length), ...entries.flat()]
const sized = (bytes: number[]) => [...unsigned(bytes.length), ...bytes]
const text = (name: string) => sized([...new TextEncoder().encode(name)])

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)]
}

/** LEB128 of a number that is not negative: its last byte must not look so. */
function signed(value: number): number[] {
  return value < 64 ? [value] : [(value & 127) | 128, ...signed(value >>> 7)]
}
