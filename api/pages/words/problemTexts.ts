import { defineTexts } from '../texts.ts';

/** Texts of refusals by code (domain/shared/refusal.ts). */
export const problemTexts = defineTexts({
  mn: {
    INVALID_REQUEST: 'Хүсэлт буруу байна',
    CONFLICT: 'Өөр хүн зэрэг өөрчилсөн эсвэл энэ төлөвт боломжгүй',
    PRECONDITION_FAILED: 'Таныг засаж байх хооронд өөр хүн өөрчилжээ',
    RATE_LIMITED: 'Хэт олон оролдлого',
    OVERLOADED: 'Үйлчилгээ завгүй байна',
    DEPENDENCY_UNAVAILABLE: 'Үйлчилгээний нэг хэсэг ажиллахгүй байна',
    INTERNAL: 'Үйлчилгээ хариулж чадсангүй',
    UNAUTHENTICATED: 'Нэвтрэлт хүчингүй',
    PERMISSION_DENIED: 'Танд энэ үйлдлийн эрх алга',
    SIGN_IN_FAILED: 'И-мэйл эсвэл нууц үг буруу',
    SECOND_FACTOR_WRONG: 'Код буруу эсвэл ашиглагдсан',
    CURRENT_PASSWORD_WRONG: 'Одоогийн нууц үг буруу',
    OPERATOR_EMAIL_TAKEN: 'Энэ и-мэйлтэй оператор бүртгэлтэй',
    LAST_SUPER_ADMIN: 'Сүүлчийн ерөнхий администраторыг хасах боломжгүй',
    ErrSelfApproval: 'Өөрийн хүсэлтийг өөрөө шийдэх боломжгүй',
    APPROVER_NOT_INDEPENDENT:
      'Сүүлийн 30 хоногт нэг нь нөгөөгөө нэмсэн буюу сэргээсэн тул өөр оператор шийднэ',
    APPROVERS_MISSING:
      'Зөвшөөрөх оператор хүрэлцэхгүй байна: сервер дээр ./tamga admin add ашиглан нэмнэ үү',
    APPROVAL_STALE: 'Хүсэлтээс хойш өөрчлөгдсөн тул шинээр хүснэ үү',
    APPROVAL_DECIDED: 'Энэ хүсэлт шийдэгдсэн байна',
    APPROVAL_EXPIRED: 'Хүсэлтийн хугацаа дууссан',
  },
  en: {
    INVALID_REQUEST: 'The request is not valid',
    CONFLICT: 'Somebody else changed this, or its current state does not allow it',
    PRECONDITION_FAILED: 'Somebody changed this while you edited it',
    RATE_LIMITED: 'Too many attempts',
    OVERLOADED: 'The service is busy',
    DEPENDENCY_UNAVAILABLE: 'Part of the service is unavailable',
    INTERNAL: 'The service failed to answer',
    UNAUTHENTICATED: 'Not signed in',
    PERMISSION_DENIED: 'You are not permitted to do this',
    SIGN_IN_FAILED: 'E-mail or password incorrect',
    SECOND_FACTOR_WRONG: 'The code is wrong or was already used',
    CURRENT_PASSWORD_WRONG: 'The current password is incorrect',
    OPERATOR_EMAIL_TAKEN: 'Another operator already has this e-mail',
    LAST_SUPER_ADMIN: 'The last super administrator cannot be removed',
    ErrSelfApproval: 'You cannot decide on your own request',
    APPROVER_NOT_INDEPENDENT:
      'One of you added or reset the other within 30 days; an independent operator must decide',
    APPROVERS_MISSING:
      'Too few other operators could approve this: add them on the machine, ./tamga admin add',
    APPROVAL_STALE: 'Things have changed since then; make a new request',
    APPROVAL_DECIDED: 'This request has already been decided',
    APPROVAL_EXPIRED: 'The time to decide has passed',
  },
});
