import { asStored } from './as-stored.ts'

/** A call's input as the object that it stands for, or why it stands for none. */
export type ParsedInput = { input: Record<string, unknown>; problem?: undefined } | { input: {}; problem: string }

/**
 * Reads the JSON of a tool call. Nothing at all means `{}`: many models say so. What is no object is a problem: no
 * provider takes such a call back in a later prompt. So are names by which an object could be made to change the
 * prototype of others, when a tool copies or merges it, and what a thread cannot keep, such as hundreds of levels.
 */
export function parseInput(text: unknown): ParsedInput {
  if (typeof text !== 'string') return { input: {}, problem: 'it is not a text' }
  if (text.trim() === '') return { input: {} }
  let input: unknown
  try {
    input = JSON.parse(text)
  } catch (error) {
    return { input: {}, problem: error instanceof Error ? error.message : 'it is not JSON' }
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { input: {}, problem: 'it is not a JSON object' }
  }
  if (maySpellPrototype(text) && reachesPrototype(input)) {
    return { input: {}, problem: 'it has a property "__proto__" or "constructor.prototype"' }
  }
  try {
    return asStored({ input: input as Record<string, unknown> })
  } catch (error) {
    return { input: {}, problem: error instanceof Error ? error.message : 'it cannot be kept' }
  }
}

/** Cheap, and right in almost every case; an escape may spell anything. */
function maySpellPrototype(text: string): boolean {
  return text.includes('__proto__') || text.includes('constructor') || text.includes('\\u')
}

function reachesPrototype(root: object): boolean {
  const open: object[] = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (Object.hasOwn(node, '__proto__')) return true
    for (const [name, value] of Object.entries(node)) {
      if (typeof value !== 'object' || value === null) continue
      if (name === 'constructor' && Object.hasOwn(value, 'prototype')) return true
      open.push(value)
    }
  }
  return false
}
