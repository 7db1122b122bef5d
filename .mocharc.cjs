module.exports = {
  require: ['dist/test/support/runner/hooks.js'],
  // Only a net: how busy the machine is must not decide a test.
  timeout: 60000,
  forbidOnly: Boolean(process.env.CI),
  exit: true,
  // A young generation of 8 MB instead of 32: what it grows to is kept, three times over, in each process.
  'node-option': ['enable-source-maps', 'expose-gc', 'max-semi-space-size=8'],
};
