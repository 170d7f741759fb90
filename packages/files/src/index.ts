export {
  MAX_FILE_BYTES,
  type Failure,
  type FileErrorCode,
  type FileInfo,
  type Files,
  type GrepMatch,
  type Result,
} from './files.ts'
export { rowFiles } from './row-files.ts'
export { fileTools, type FileToolName } from './file-tools.ts'
export { memoryPrompt, type MemoryPromptOptions } from './memory-prompt.ts'
export { pathSegment } from './path-segment.ts'
