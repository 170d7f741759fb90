import { describe, expect, it } from 'vitest'
import type { Message } from '@keepsake/core'
import { window } from '../src/window.ts'

/** What `window(n)` keeps of a list. */
export interface WindowCase {
  name: string
  messages: Message[]
  /** n -> the positions in `messages` that are kept, in the order of the output. Worked out by hand. */
  kept: Record<string, number[]>
}

/** Makes a test of every case and every n. */
export function testWindowCases(topic: string, cases: readonly WindowCase[]): void {
  describe(`window: ${topic}`, () => {
    for (const { name, messages, kept } of cases) {
      for (const [n, positions] of Object.entries(kept)) {
        it(`${name}; n = ${n}`, () => {
          const output = window(Number(n))(messages)
          expect(output.map((message) => messages.indexOf(message))).toEqual(positions)
        })
      }
    }
  })
}
