import eslint from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

const RELATIVE_CLAUSE = /^\W*(?:What|Who|Whose|Whom|How|Whether|As|Where|When|Which|Why)\b/;

/** Forbids comments that begin with a relative clause instead of the term they are about. */
const commentOpening = {
  meta: {
    messages: {
      relativeClause: 'Begin the comment with a noun or a verb, in the words of docs/glossary.md.',
    },
  },
  create: (context) => ({
    Program() {
      const comments = context.sourceCode.getAllComments();
      comments.forEach((comment, index) => {
        const { type, value, loc } = comment;
        const before = comments[index - 1];
        const continues =
          type === 'Line' && before?.type === 'Line' && before.loc.end.line === loc.start.line - 1;
        if (continues || !RELATIVE_CLAUSE.test(value)) return;
        context.report({ loc, messageId: 'relativeClause' });
      });
    },
  }),
};

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'node_modules/',
      '.tamga/',
      '**/*.cjs',
      'eslint.config.js',
      'client/examples/**/public/',
      // Compiled against the packed library by its own test.
      'test/types/',
    ],
  },
  eslint.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/dot-notation': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      complexity: ['error', 12],
      'max-depth': ['error', 3],
      'max-params': ['error', 4],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
      eqeqeq: 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ObjectExpression > SpreadElement > ObjectExpression',
          message: 'Write the properties themselves instead of spreading a literal.',
        },
        {
          selector: 'JSXSpreadAttribute > ObjectExpression',
          message: 'Write the attributes themselves instead of spreading a literal.',
        },
      ],
    },
  },
  {
    files: ['apps/{console,phone/web}/**/*.{ts,tsx}'],
    ...reactHooks.configs.flat['recommended-latest'],
  },
  {
    files: ['test/**/*.ts', 'client/examples/**/*.ts'],
    rules: {
      'no-console': 'off',
      '@typescript-eslint/no-unused-expressions': 'off',
      'max-lines': 'off',
    },
  },
  {
    files: ['client/examples/**/*.test.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', package: 'node:test', name: ['beforeEach', 'describe', 'it'] },
          ],
        },
      ],
    },
  },
  {
    plugins: { tamga: { rules: { 'comment-opening': commentOpening } } },
    rules: { 'tamga/comment-opening': 'error' },
  },
);
