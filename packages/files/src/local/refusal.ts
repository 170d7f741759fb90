import { KeepsakeError } from '@keepsake/core'
import { failure, invalidPath, isDirectory, notDirectory, notFound, permissionDenied, type Verb } from '../failures.ts'
import type { Failure, Result } from '../files.ts'

/** Carries an expected outcome out of nested calls; {@link settle} makes a value of it again. */
class Refusal extends Error {
  readonly failure: Failure
  constructor(reason: Failure) {
    super(reason.message)
    this.failure = reason
  }
}

export function refuse(reason: Failure): Refusal {
  return new Refusal(reason)
}

/** Runs a call on a path: what the disk refuses is a value, what fails is a KeepsakeError. */
export async function settle<T>(verb: Verb, path: string, work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) return error.failure
    if (KeepsakeError.isInstance(error)) throw error
    return explain(error, verb, path)
  }
}

function explain(error: unknown, verb: Verb, path: string): Failure {
  const code = errorCode(error)
  switch (code) {
    case 'ENOENT':
      return notFound()
    case 'ENOTDIR':
      return verb === 'writing' ? notDirectory(path) : notFound()
    case 'EISDIR':
      return isDirectory(path)
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return permissionDenied(verb, path)
    case 'ELOOP':
      return invalidPath('the path goes through a link that cannot be followed')
    case 'ENAMETOOLONG':
    case 'EINVAL':
      return invalidPath('the disk does not take such a name')
    case 'ENXIO':
      return notAFile()
    default:
      throw new KeepsakeError(
        'unavailable',
        `${verb[0]!.toUpperCase()}${verb.slice(1)} ${path} failed on disk with ${code ?? 'an unknown error'}. See the cause, and try again when it is gone.`,
        { retryable: true, details: { path, ...(code !== undefined && { code }) }, cause: error },
      )
  }
}

export function notAFile(): Failure {
  return failure('invalid_path', 'invalid_path: there is something that is neither a file nor a directory')
}

export function errorCode(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' ? code : undefined
}

/** `undefined` where the disk says that there is nothing. Other errors stay errors. */
export async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
