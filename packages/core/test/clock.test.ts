import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createClock, MAX_AHEAD_MS, SEQ_EPOCH_MS, SEQS_PER_MS, systemClock, type Clock } from '../src/clock.ts'
import { MAX_SEQ } from '../src/rows/row-store.ts'
import { caught } from './caught.ts'

/** A clock whose time the test sets, in milliseconds since 2024. */
function clockAt(ms: number): { clock: Clock; set: (ms: number) => void } {
  let now = ms
  return { clock: createClock({ nowMs: () => SEQ_EPOCH_MS + now }), set: (next) => (now = next) }
}

describe('constants', () => {
  it('are these numbers', () => {
    expect(SEQ_EPOCH_MS).toBe(1_704_067_200_000)
    expect(SEQS_PER_MS).toBe(4096)
    expect(MAX_AHEAD_MS).toBe(60_000)
  })
})

describe('nextSeq', () => {
  it('is milliseconds since 2024 times 4096, then counts', () => {
    const { clock, set } = clockAt(10)
    expect([clock.nextSeq(), clock.nextSeq(), clock.nextSeq()]).toEqual([40_960, 40_961, 40_962])
    set(11)
    expect(clock.nextSeq()).toBe(45_056)
  })

  it('runs into the next millisecond when a counter is full, and goes on from there', () => {
    const { clock, set } = clockAt(1)
    const seqs = Array.from({ length: 4097 }, () => clock.nextSeq())
    expect(seqs[4095]).toBe(8191)
    expect(seqs[4096]).toBe(8192)
    set(2)
    expect(clock.nextSeq()).toBe(8193)
    set(3)
    expect(clock.nextSeq()).toBe(12_288)
  })

  it('does not step back with the wall clock', () => {
    const { clock, set } = clockAt(10)
    expect(clock.nextSeq()).toBe(40_960)
    set(3)
    expect([clock.nextSeq(), clock.nextSeq()]).toEqual([40_961, 40_962])
    set(11)
    expect(clock.nextSeq()).toBe(45_056)
  })

  it('begins at 1 where the wall clock stands before 2024', () => {
    const clock = createClock({ nowMs: () => 0 })
    expect([clock.nextSeq(), clock.nextSeq()]).toEqual([1, 2])
  })

  it('is greater than what it is told to follow', () => {
    const { clock } = clockAt(10)
    expect(clock.nextSeq(5)).toBe(40_960)
    expect(clock.nextSeq(40_960)).toBe(40_961)
    expect(clock.nextSeq(50_000)).toBe(50_001)
    expect(clock.nextSeq(-1)).toBe(50_002)
  })

  it('adopts a version that is 60 s ahead of its own time', () => {
    const { clock } = clockAt(10)
    const edge = (10 + 60_000) * 4096
    expect(clock.nextSeq(edge - 1)).toBe(edge)
    expect(clock.nextSeq()).toBe(edge + 1)
  })

  it('leaves one that is further ahead where it is', () => {
    const { clock } = clockAt(10)
    const edge = (10 + 60_000) * 4096
    expect(clock.nextSeq(edge)).toBe(edge + 1)
    expect(clock.nextSeq()).toBe(40_960)
    expect(clock.nextSeq(edge)).toBe(edge + 1)
  })

  it('has nothing after the largest version, and says what to do', async () => {
    const { clock } = clockAt(10)
    expect(clock.nextSeq(MAX_SEQ - 1)).toBe(MAX_SEQ)
    const error = await caught(() => clock.nextSeq(MAX_SEQ))
    expect(error.code).toBe('invalid_value')
    expect(error.message).toContain("remove such a row with the store's remove()")
    expect(clock.nextSeq()).toBe(40_960)
  })

  it('strictly increases, whatever the wall clock does', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 50 }), { minLength: 2, maxLength: 200 }), (times) => {
        const { clock, set } = clockAt(0)
        let last = -1
        for (const time of times) {
          set(time)
          const seq = clock.nextSeq()
          expect(seq).toBeGreaterThan(last)
          expect(seq).toBeGreaterThanOrEqual(time * 4096)
          last = seq
        }
      }),
    )
  })
})

describe('nowMs', () => {
  it('cuts off fractions, which rows refuse', () => {
    const clock = createClock({ nowMs: () => SEQ_EPOCH_MS + 2.75 })
    expect(clock.nowMs()).toBe(1_704_067_200_002)
    expect(clock.nextSeq()).toBe(8192)
  })

  it.each([Number.NaN, Infinity, undefined])('refuses a source of time that gives %s, and recovers', async (broken) => {
    let time: number | undefined = broken
    const clock = createClock({ nowMs: () => time as number })
    const error = await caught(() => clock.nextSeq())
    expect(error.code).toBe('invalid_value')
    expect(error.message).toContain("The clock's nowMs() must give Unix milliseconds")
    time = SEQ_EPOCH_MS + 1
    expect(clock.nextSeq()).toBe(4096)
  })
})

describe('newId', () => {
  it('is a fresh UUID, or what it is told', () => {
    const clock = createClock()
    expect(clock.newId()).toMatch(/^[0-9a-f-]{36}$/)
    expect(clock.newId()).not.toBe(clock.newId())
    expect(createClock({ newId: () => 'id' }).newId()).toBe('id')
  })
})

describe('systemClock', () => {
  it('is one in a process and tells the time', () => {
    const before = Date.now()
    const now = systemClock().nowMs()
    expect(systemClock()).toBe(systemClock())
    expect(now).toBeGreaterThanOrEqual(before)
    expect(now).toBeLessThanOrEqual(Date.now())
    expect(systemClock().nextSeq()).toBeGreaterThanOrEqual((before - SEQ_EPOCH_MS) * SEQS_PER_MS)
  })
})
