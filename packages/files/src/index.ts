export {
  MAX_FILE_BYTES,
  type ChangeOptions,
  type Failure,
  type FileErrorCode,
  type FileInfo,
  type Files,
  type GrepMatch,
  type Result,
} from './files.ts'
export { rowFiles } from './row-files.ts'
export { stateFiles, type FileState } from './state-files.ts'
export { compositeFiles, type CompositeFilesOptions } from './composite-files.ts'
export {
  withPermissions,
  type Permission,
  type PermissionRequest,
  type WithPermissionsOptions,
} from './with-permissions.ts'
export type { FileToolName } from './file-tool-schemas.ts'
export { fileTools } from './file-tools.ts'
export { memoryPrompt, type MemoryPromptOptions } from './memory-prompt.ts'
export { pathSegment } from './path-segment.ts'
