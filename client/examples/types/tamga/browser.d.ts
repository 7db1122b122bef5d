// The library's browser entry, where the bank serves it: beside its script, below tamga/.
export * from '../../../browser/index.ts';
