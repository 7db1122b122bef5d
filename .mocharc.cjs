module.exports = {
  spec: ['dist/test/**/*.test.js'],
  require: ['dist/test/support/hooks.js'],
  timeout: 30000,
  forbidOnly: Boolean(process.env.CI),
  exit: true,
  'node-option': ['enable-source-maps'],
};
