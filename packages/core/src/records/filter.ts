import type { JSONValue } from '@ai-sdk/provider'
import { KeepsakeError } from '../errors.ts'
import { equalBytes } from '../rows/guard.ts'
import { describeType } from '../rows/keys.ts'
import { normalise, type Storable } from '../values/normalise.ts'
import { compareUtf8 } from '../rows/utf8.ts'
import { resolvePath } from './value-paths.ts'

type Operators = {
  [op in '$eq' | '$ne' | '$gt' | '$gte' | '$lt' | '$lte' | '$in' | '$nin' | '$exists']?: JSONValue
}

/**
 * A condition on a record's value. Paths are dotted (`'address.city'`, `'tags.0'`); all conditions of an object must
 * hold; `{}` holds always. A plain value means `$eq`. Nothing that a filter cannot mean is passed over: what is no JSON
 * (`undefined`, a `Date`, a `Map`) is refused.
 *
 * - `$eq` `$ne` `$in` `$nin` compare JSON values deeply. `$ne` and `$nin` are their negations, so they hold where the
 *   path does not exist.
 * - `$gt` `$gte` `$lt` `$lte` compare number with number and text with text (by code points, so ISO dates work);
 *   different types never compare.
 * - `$exists` asks whether the path exists; `null` exists. Paths do not lead into bytes.
 * - `$and` and `$or` take a list (an empty one: always, never), `$not` one filter.
 */
export type Filter =
  | { [path: string]: JSONValue | Operators }
  | { $and: Filter[] }
  | { $or: Filter[] }
  | { $not: Filter }

type Predicate = (value: unknown) => boolean

/** Checks a filter once and makes a test of it. Throws `invalid_value` for an unknown operator or a wrong operand. */
export function compileFilter(filter: Filter): Predicate {
  return compile(filter, 'filter')
}

function compile(filter: unknown, where: string): Predicate {
  // Refuses what is no plain data, at any depth. It leaves out undefined, which is refused below.
  if (!isRecord(normalise(filter, where))) throw invalid(`${where} must be an object; it is ${describeType(filter)}.`)
  return all(Object.entries(filter as object).map(([name, operand]) => compileEntry(name, operand, `${where}.${name}`)))
}

function compileEntry(name: string, operand: unknown, where: string): Predicate {
  if (name === '$and') return all(compileList(operand, where))
  if (name === '$or') return any(compileList(operand, where))
  if (name === '$not') return not(compile(operand, where))
  if (name.startsWith('$')) throw invalid(`${where} is no operator; here are $and, $or and $not, or a path.`)
  const path = name.split('.')
  const holds = compileCondition(operand, where)
  return (value) => holds(resolvePath(value, path))
}

function compileList(operand: unknown, where: string): Predicate[] {
  if (!Array.isArray(operand)) throw invalid(`${where} must be a list of filters; it is ${describeType(operand)}.`)
  return operand.map((item, index) => compile(item, `${where}[${index}]`))
}

function compileCondition(operand: unknown, where: string): Predicate {
  if (operand === undefined) throw invalid(`${where} is undefined; use { $exists: false } to ask for a missing path.`)
  const operators = isRecord(operand) ? Object.keys(operand).filter((name) => name.startsWith('$')) : []
  if (operators.length === 0) return equalTo(operand, where)
  const entries = Object.entries(operand as object)
  if (operators.length < entries.length)
    throw invalid(`${where} mixes operators with other keys; use one or the other.`)
  return all(entries.map(([name, argument]) => compileOperator(name, argument, `${where}.${name}`)))
}

function compileOperator(name: string, operand: unknown, where: string): Predicate {
  if (operand === undefined) throw invalid(`${where} is undefined; give it a JSON value.`)
  switch (name) {
    case '$eq':
      return equalTo(operand, where)
    case '$ne':
      return not(equalTo(operand, where))
    case '$in':
      return any(listOperand(operand, where).map((item, index) => equalTo(item, `${where}[${index}]`)))
    case '$nin':
      return not(any(listOperand(operand, where).map((item, index) => equalTo(item, `${where}[${index}]`))))
    case '$gt':
      return ordered(operand, where, (order) => order > 0)
    case '$gte':
      return ordered(operand, where, (order) => order >= 0)
    case '$lt':
      return ordered(operand, where, (order) => order < 0)
    case '$lte':
      return ordered(operand, where, (order) => order <= 0)
    case '$exists':
      if (typeof operand !== 'boolean') throw invalid(`${where} must be true or false; it is ${describeType(operand)}.`)
      return (value) => (value !== undefined) === operand
    default:
      throw invalid(`${where} is no operator; known are $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin and $exists.`)
  }
}

function ordered(operand: unknown, where: string, holds: (order: number) => boolean): Predicate {
  if (typeof operand === 'number' && Number.isFinite(operand)) {
    return (value) => typeof value === 'number' && holds(value - operand)
  }
  if (typeof operand === 'string') {
    return (value) => typeof value === 'string' && holds(compareUtf8(value, operand))
  }
  throw invalid(`${where} must be a number or a text; it is ${describeType(operand)}.`)
}

/** A copy of the operand, in the form in which values are stored, is what is compared. */
function equalTo(operand: unknown, where: string): Predicate {
  const stored = normalise(operand, where)
  return (value) => value !== undefined && equal(value, stored)
}

function listOperand(operand: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(operand)) throw invalid(`${where} must be a list of values; it is ${describeType(operand)}.`)
  return operand
}

function equal(a: unknown, b: Storable): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof Uint8Array || b instanceof Uint8Array) {
    return a instanceof Uint8Array && b instanceof Uint8Array && equalBytes(a, b)
  }
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))]
  return left.length === right.size && left.every(([key, item]) => right.has(key) && equal(item, right.get(key)!))
}

function all(predicates: readonly Predicate[]): Predicate {
  return (value) => predicates.every((holds) => holds(value))
}

function any(predicates: readonly Predicate[]): Predicate {
  return (value) => predicates.some((holds) => holds(value))
}

function not(holds: Predicate): Predicate {
  return (value) => !holds(value)
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
}

function invalid(message: string): KeepsakeError {
  return new KeepsakeError('invalid_value', message)
}
