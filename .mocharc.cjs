module.exports = {
  require: ['dist/test/support/runner/hooks.js'],
  // Only a net: how busy the machine is must not decide a test.
  timeout: 60000,
  forbidOnly: Boolean(process.env.CI),
  exit: true,
  // MB of objects that live long: with twice as much for all else, no test process passes 1 GB.
  'node-option': ['enable-source-maps', 'max-old-space-size=640'],
};
