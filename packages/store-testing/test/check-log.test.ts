import { expect, test } from 'vitest'
import { checkLog, type CheckLogOptions } from '../src/chaos/check-log.ts'
import type { LogEvent } from '../src/chaos/log.ts'

/**
 * A log in the order of time. `w 5 newer` begins the write of seq 5 with a guard, `5 applied` and `5 stale 7` answer it,
 * `r 5` reads the row at seq 5 (begun and ended before the next), and the last line is the row in the end.
 */
function problems(text: string, options?: CheckLogOptions): string[] {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => line.trim())
  const events: LogEvent[] = []
  const end = lines.pop()!
  for (const [i, line] of lines.entries()) {
    const at = String(i * 10)
    const [first, second, third] = line.split(' ')
    if (first === 'w') {
      const guard = third === 'newer' || third === 'absent' ? third : Number(third)
      events.push({
        type: 'begin',
        at,
        call: second!,
        writes: [{ key: 'k', seq: Number(second), id: `w${second}`, guard }],
      })
    } else if (first === 'r') {
      const id = second === '-1' ? '' : `w${second}`
      events.push({ type: 'read', began: at, ended: `${i * 10 + 5}`, key: 'k', seq: Number(second), id })
    } else {
      events.push({ type: 'end', at, call: first!, verdicts: [second === 'applied' ? true : Number(third)] })
    }
  }
  return checkLog(events, end === 'nothing' ? [] : [{ key: 'k', seq: Number(end), id: `w${end}` }], options)
}

test.each([
  ['writes one after the other', 'r -1 \n w 1 absent \n 1 applied \n w 2 1 \n 2 applied \n r 2 \n 2'],
  ['two at once, of which one wins', 'w 1 absent \n w 2 absent \n 1 applied \n 2 stale 1 \n 1'],
  ['two at once, in either order', 'w 2 newer \n w 1 newer \n 1 applied \n 2 applied \n 2'],
  ['one whose writer was killed, and that came', 'w 1 absent \n 1 applied \n w 2 1 \n r 2 \n 2'],
  ['one whose writer was killed, and that did not', 'w 1 absent \n 1 applied \n w 2 1 \n r 1 \n 1'],
  ['one whose writer was killed, and that came late', 'w 1 absent \n 1 applied \n w 2 1 \n r 1 \n 2'],
  ['a read that overlaps with a write is of before it', 'w 1 absent \n r -1 \n 1 applied \n 1'],
])('legal: %s', (_, text) => {
  expect(problems(text)).toEqual([])
})

test.each([
  ['an acknowledged write that is lost', 'w 1 absent \n 1 applied \n nothing', 'the end is at -1, after w1 was at 1'],
  [
    'an acknowledged write that is not read',
    'w 1 absent \n 1 applied \n r -1 \n 1',
    'a read is at -1, after w1 was at 1',
  ],
  [
    'a row that goes back',
    'w 1 absent \n 1 applied \n w 2 1 \n 2 applied \n r 1 \n 2',
    'a read is at 1, after w2 was at 2',
  ],
  [
    'a row that has gone back in the end',
    'w 1 absent \n 1 applied \n w 2 1 \n 2 applied \n 1',
    'the end is at 1, after w2',
  ],
  [
    'a late duplicate that was taken',
    'w 2 newer \n 2 applied \n w 1 newer \n 1 applied \n 2',
    'w1 is at 1, after w2 was at 2',
  ],
  [
    'two claims of one row',
    'w 1 absent \n w 2 absent \n 1 applied \n 2 applied \n 2',
    'w2 was applied over -1, but w1',
  ],
  [
    'two that were applied over one',
    'w 1 absent \n 1 applied \n w 2 1 \n w 3 1 \n 2 applied \n 3 applied \n 3',
    'w3 was applied over 1, but w2 was there',
  ],
  [
    'one that was reported stale and is there',
    'w 1 absent \n 1 stale 2 \n w 2 newer \n 2 applied \n r 1 \n 2',
    'w1, which was reported stale',
  ],
  [
    'one over what was reported stale',
    'w 1 newer \n 1 stale 3 \n w 3 newer \n 3 applied \n w 4 1 \n 4 applied \n 4',
    'over 1, which was reported stale',
  ],
  ['what nobody wrote', 'w 1 absent \n 1 applied \n r 5 \n 1', 'a read saw what nobody wrote: 5'],
  [
    'a verdict that is no reason',
    'w 3 newer \n 3 applied \n w 4 newer \n 4 stale 3 \n 3',
    'w4 was stale to 3, which is not newer',
  ],
  ['a claim that was stale to nothing', 'w 1 absent \n 1 stale -1 \n nothing', 'w1 was stale to nothing'],
  [
    'a swap that was stale to what it expected',
    'w 1 absent \n 1 applied \n w 2 1 \n 2 stale 1 \n 1',
    'the very seq that it expected',
  ],
  [
    'a verdict from before',
    'w 1 absent \n 1 applied \n w 3 1 \n 3 applied \n w 9 2 \n 9 stale 1 \n 3',
    'the verdict of w9 is at 1, after w3',
  ],
])('illegal: %s', (_, text, problem) => {
  expect(problems(text).join('\n')).toContain(problem)
})

const LOST = { lostAnswers: true }

test.each([
  ['seen, then overtaken', 'w 1 absent \n r 1 \n w 2 1 \n 2 applied \n 1 stale 2 \n 2'],
  ['expected by the one that overtook it', 'w 1 newer \n w 2 1 \n 2 applied \n 1 stale 2 \n 2'],
])('where answers were lost, what was done may be stale to something newer: %s', (_, text) => {
  expect(problems(text, LOST)).toEqual([])
  expect(problems(text).join('\n')).toContain('which was reported stale')
})

test.each([
  [
    'one that was stale to something older',
    'w 1 newer \n 1 applied \n w 4 3 \n 4 stale 1 \n r 4 \n 4',
    'w4, which was reported stale',
  ],
  ['an acknowledged write that is lost', 'w 1 absent \n 1 applied \n nothing', 'the end is at -1, after w1 was at 1'],
  [
    'one that was seen, over which another was applied as if it were not there',
    'w 2 1 \n r 2 \n 2 stale 3 \n w 3 1 \n 3 applied \n 3',
    'w3 was applied over 1, but w2 was there',
  ],
])('where answers were lost, this is illegal all the same: %s', (_, text, problem) => {
  expect(problems(text, LOST).join('\n')).toContain(problem)
})
