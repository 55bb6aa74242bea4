/**
 * Ant Design's plain text input. The package's `Input` brings the multi-line, search and one-time
 * code variants along, which the sign-in page would pay for and never show.
 */
export { default as TextInput } from 'antd/es/input/Input'
export type { InputProps as TextInputProps } from 'antd'
