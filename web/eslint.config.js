import reactHooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'

export default tseslint.config(
  { ignores: ['dist', 'src/api/schema.d.ts', 'test-results', 'playwright-report'] },
  ...tseslint.configs.recommended,
  { files: ['src/**/*.{ts,tsx}'], ...reactHooks.configs.flat.recommended },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/api/**', 'src/**/*.test.{ts,tsx}', 'src/testing/**'],
    rules: {
      // Timeout, language header, error texts and the 401 rule live in src/api; a stray fetch has none.
      'no-restricted-globals': ['error', { name: 'fetch', message: 'Call through src/api.' }],
      'no-restricted-imports': [
        'error',
        {
          name: 'react-router',
          importNames: ['useSearchParams'],
          message: 'useAddressQuery reads within the limits of lib/query.',
        },
      ],
    },
  },
  {
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
)
