import { z } from 'zod';

/** Schemas of personal data: answers that hold one are audited as disclosures. */
export const personalData = z.registry<{ readonly what: string }>();

/** True when a part of the schema is registered as personal data. @param shape schema, media type or no body */
export function holdsPersonalData(shape: z.core.$ZodType | string | null): boolean {
  if (shape === null || typeof shape === 'string') return false;
  if (personalData.has(shape)) return true;
  return partsOf(shape).some(holdsPersonalData);
}

function partsOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodObject) {
    return Object.values<z.core.$ZodType>(schema.shape);
  }
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodUnion) return schema.options;
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return [schema.unwrap()];
  return schema instanceof z.ZodReadonly ? [schema.unwrap()] : [];
}
