import { MAX_FILE_BYTES, type Failure, type FileErrorCode, type Result } from './files.ts'

/** What was to be done to a file, as the message of a refusal says it. */
export type Verb = 'reading' | 'writing' | 'editing' | 'deleting' | 'moving' | 'approving'

export function ok<T>(value: T): Result<T> {
  return { ok: true, value }
}

export function failure(code: FileErrorCode, message: string): Failure {
  return { ok: false, code, message }
}

// Models are shown these texts: they are a contract.
export const notFound = (): Failure => failure('not_found', 'file not found')
export const alreadyExists = (): Failure => failure('exists', 'file already exists')
export const changedSince = (): Failure => failure('conflict', 'file changed since it was read; read it again')
export const isDirectory = (path: string): Failure => failure('is_directory', `${path} is a directory`)
export const notDirectory = (path: string): Failure =>
  failure('exists', `${path} is below a file, where nothing can be kept`)
export const permissionDenied = (verb: Verb, path: string): Failure =>
  failure('permission_denied', `Permission denied ${verb} ${path}`)
export const invalidPath = (reason: string): Failure => failure('invalid_path', `invalid_path: ${reason}`)
export const notText = (): Failure => failure('not_text', 'file is not UTF-8 text')
export const inReview = (path: string): Failure =>
  failure('in_review', `${path} is waiting for review: it was written after reading untrusted content`)
export const tooLarge = (bytes: number): Failure =>
  failure('too_large', `file has ${bytes} bytes; at most ${MAX_FILE_BYTES} are allowed`)
/** Of a text that is not built: it has at least so many bytes. */
export const wouldBeTooLarge = (bytes: number): Failure =>
  failure('too_large', `the edited file would have ${bytes} bytes or more; at most ${MAX_FILE_BYTES} are allowed`)
