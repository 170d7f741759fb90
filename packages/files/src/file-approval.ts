import type { Verb } from './failures.ts'
import type { FileToolName } from './file-tool-schemas.ts'
import type { Files } from './files.ts'
import { parsePath } from './paths.ts'

export type FileOperation = 'read' | 'write'

/** Files of which some have to be asked for: those of `withPermissions`, and what they are mounted in. */
export interface AskingFiles extends Files {
  /** Whether a call for this path is refused unless it is `approved`. */
  needsApproval(operation: FileOperation, path: string): boolean
}

const CALLS: { [tool in FileToolName]?: { operation: FileOperation; verb: Verb } } = {
  read_file: { operation: 'read', verb: 'reading' },
  write_file: { operation: 'write', verb: 'writing' },
  edit_file: { operation: 'write', verb: 'editing' },
}

/**
 * What somebody has to allow before a call of one of the file tools can be run, such as `editing /policies/travel.md`;
 * `undefined` where nobody has to. Asked of the rules alone: no file is looked at. Once it is allowed, run the tool with
 * `approved: true` among its options; without it is refused.
 *
 * Our agent does so: the run is suspended. For loops of your own.
 */
export function fileApproval(files: Files, toolName: string, input: unknown): string | undefined {
  const call = Object.hasOwn(CALLS, toolName) ? CALLS[toolName as FileToolName] : undefined
  const { needsApproval } = files as Partial<AskingFiles>
  const path = (input as { file_path?: unknown } | null | undefined)?.file_path
  if (call === undefined || needsApproval === undefined || typeof path !== 'string') return undefined
  const parsed = parsePath(path)
  if (!parsed.ok || !needsApproval.call(files, call.operation, parsed.value.path)) return undefined
  return `${call.verb} ${parsed.value.path}`
}
