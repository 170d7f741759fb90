export { main, type MainOptions } from './main.ts'
