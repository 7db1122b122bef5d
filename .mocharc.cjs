module.exports = {
  require: ['dist/test/support/runner/hooks.js'],
  // Only a net: how busy the machine is must not decide a test.
  timeout: 60000,
  forbidOnly: Boolean(process.env.CI),
  exit: true,
  'node-option': ['enable-source-maps', 'expose-gc'],
};
