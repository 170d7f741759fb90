export { encryptedFiles, type FileEncryptionOptions } from './encrypted-files.ts'
export { redactedFiles, type RedactedFilesOptions } from './redacted-files.ts'
