/**
 * Ant Design's plain text input. The package's `Input` includes the multi-line, search, and
 * one-time code variants, which the sign-in page would load for nothing.
 */
export { default as TextInput } from 'antd/es/input/Input'
export type { InputProps as TextInputProps } from 'antd'
