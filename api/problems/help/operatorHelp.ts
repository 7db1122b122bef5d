import { both, help, shows } from './help.ts';

/** Help on problems of operators, their requests for approval, and the audit. */
export const operatorHelp = {
  SIGN_IN_FAILED: help(
    both('E-mail or password incorrect.', 'И-мэйл эсвэл нууц үг буруу байна.'),
    'Enter both again. The answer does not say which one is wrong, and attempts are counted. Another operator can reset the password.',
    {
      title: 'Нэвтэрч чадсангүй',
      means: 'И-мэйл эсвэл нууц үг буруу байна.',
      todo: 'Хоёуланг нь дахин бичнэ үү. Аль нь буруу болохыг хэлэхгүй, оролдлогыг тоолно. Өөр оператор нууц үгийг сэргээж чадна.',
    },
  ),
  SIGN_IN_DISABLED: help(
    both(
      'Operators cannot sign in here at the moment.',
      'Одоогоор операторууд энд нэвтрэх боломжгүй.',
    ),
    'Set `SVC_ADMIN_TOKEN_SECRET` and start the service again.',
    {
      title: 'Нэвтрэлт идэвхгүй',
      means: '`SVC_ADMIN_TOKEN_SECRET` тохируулаагүй тул операторууд нэвтэрч чадахгүй.',
      todo: '`SVC_ADMIN_TOKEN_SECRET` тохируулаад үйлчилгээг дахин эхлүүлнэ үү.',
    },
  ),
  SECOND_FACTOR_WRONG: help(
    both(
      'The code is incorrect or was used already. Please wait for the next one.',
      'Код буруу, эсвэл ашиглагдсан байна. Та дараагийн кодыг хүлээнэ үү.',
    ),
    'Wait for the next code of the authenticator, and check the clock of its phone. Another operator can reset the second factor.',
    {
      title: 'Код буруу',
      means: 'Код буруу, эсвэл аль хэдийн ашиглагдсан.',
      todo: 'Дараагийн кодыг хүлээж, утасныхаа цагийг шалгана уу.',
    },
  ),
  PASSWORD_CHANGE_REQUIRED: help(
    both('Please change your password first.', 'Та эхлээд нууц үгээ солино уу.'),
    'Change the password: `POST /v3/admin/auth/password`, or in the console after signing in.',
    {
      title: 'Нууц үгээ солих шаардлагатай',
      means: 'Эхлээд нууц үгээ солино.',
      todo: 'Нууц үгээ солино уу: `POST /v3/admin/auth/password`, эсвэл консолд нэвтэрсний дараа.',
    },
  ),
  CURRENT_PASSWORD_WRONG: help(
    both(
      'The current password is incorrect. Nothing was changed.',
      'Одоогийн нууц үг буруу байна. Юу ч өөрчлөгдөөгүй.',
    ),
    'Type the current password again.',
    {
      title: 'Одоогийн нууц үг буруу',
      means: 'Одоогийн нууц үг буруу тул юу ч өөрчлөгдөөгүй.',
      todo: 'Одоогийн нууц үгээ дахин бичнэ үү.',
    },
  ),
  OPERATOR_NOT_FOUND: help(shows.goneOrMistyped, 'Look the operator up in the list.', {
    title: 'Оператор олдсонгүй',
    means: 'Ийм дугаартай оператор байхгүй.',
    todo: 'Жагсаалтаас хайна уу.',
  }),
  OPERATOR_EMAIL_TAKEN: help(
    both('An operator has this e-mail already.', 'Энэ и-мэйлтэй оператор бүртгэлтэй байна.'),
    'Reactivate that operator, or give another e-mail.',
    {
      title: 'И-мэйл бүртгэлтэй',
      means: 'Энэ и-мэйлтэй идэвхтэй эсвэл идэвхгүй оператор бүртгэлтэй.',
      todo: 'Тухайн операторыг идэвхжүүлэх, эсвэл өөр и-мэйл өгнө үү.',
    },
  ),
  LAST_SUPER_ADMIN: help(
    both(
      'The last super administrator must keep the role. Give it to another operator first.',
      'Сүүлчийн супер администратор эрхээ хадгална. Та эхлээд өөр операторт эрх олгоно уу.',
    ),
    'Give the role `SUPER_ADMIN` to another operator first.',
    {
      title: 'Сүүлчийн супер администратор',
      means: 'Сүүлчийн супер администратор эрхээ хадгалах ёстой.',
      todo: 'Эхлээд өөр операторт `SUPER_ADMIN` эрх олгоно уу.',
    },
  ),
  ErrSelfApproval: help(
    both('Another operator must decide about your request.', 'Таны хүсэлтийг өөр оператор шийднэ.'),
    'Ask an operator who did not make the request and has the permission it names.',
    {
      title: 'Өөрийн хүсэлт',
      means: 'Хүсэлтийг гаргасан оператор өөрөө шийдэж болохгүй.',
      todo: 'Хүсэлтийг гаргаагүй, эрх бүхий өөр оператороор шийдүүлнэ үү.',
    },
  ),
  APPROVER_NOT_INDEPENDENT: help(
    both(
      'An independent operator must decide: one of you added or reset the other recently.',
      'Хараат бус оператор шийдэх ёстой: саяхан нэг нь нөгөөгөө нэмсэн буюу сэргээсэн байна.',
    ),
    'Ask an operator without such ties, or wait until 30 days have passed. Where there is none: `./tamga admin add` on the machine.',
    {
      title: 'Хараат бус биш',
      means:
        'Сүүлийн 30 хоногт нэг оператор нөгөөгөө нэмсэн, сэргээсэн, эсвэл эрхийг нь өөрчилсөн.',
      todo: 'Ийм холбоогүй оператороор шийдүүлнэ үү. Байхгүй бол сервер дээр `./tamga admin add` ашиглана уу.',
    },
  ),
  APPROVERS_MISSING: help(
    both('Too few operators could approve this.', 'Үүнийг зөвшөөрөх оператор хүрэлцэхгүй байна.'),
    'Add operators on the machine: `./tamga admin add`.',
    {
      title: 'Зөвшөөрөх оператор хүрэлцэхгүй',
      means: 'Үүнийг зөвшөөрч чадах өөр оператор хүрэлцэхгүй байна.',
      todo: 'Сервер дээр `./tamga admin add` ашиглан оператор нэмнэ үү.',
    },
  ),
  APPROVAL_STALE: help(
    both(
      'Things have changed since the request was made. Please make a new one.',
      'Хүсэлт гаргаснаас хойш нөхцөл өөрчлөгдсөн байна. Та шинээр хүснэ үү.',
    ),
    'Look at the object as it is now, and make a new request if it is still needed.',
    {
      title: 'Хүсэлт хуучирсан',
      means: 'Зөвшөөрсөн зүйл түүнээс хойш өөрчлөгдсөн.',
      todo: 'Одоогийн төлөвийг үзээд, хэрэгтэй хэвээр бол шинээр хүснэ үү.',
    },
  ),
  APPROVAL_NOT_FOUND: help(shows.goneOrMistyped, 'Read the requests again.', {
    title: 'Хүсэлт олдсонгүй',
    means: 'Зөвшөөрөл хүссэн ийм хүсэлт байхгүй.',
    todo: 'Хүсэлтүүдийг дахин уншина уу.',
  }),
  APPROVAL_DECIDED: help(
    both('This request was decided already.', 'Энэ хүсэлт аль хэдийн шийдэгдсэн байна.'),
    'Read the request: it says how and by whom it was decided.',
    {
      title: 'Шийдэгдсэн',
      means: 'Энэ хүсэлт аль хэдийн шийдэгдсэн.',
      todo: 'Хүсэлтийг уншина уу: хэн, яаж шийдсэн нь бичигдсэн байгаа.',
    },
  ),
  APPROVAL_EXPIRED: help(
    both(
      'The time to decide has passed. Please make a new request.',
      'Шийдэх хугацаа дууссан байна. Та шинээр хүснэ үү.',
    ),
    'Make a new request and tell an approver.',
    {
      title: 'Хүсэлтийн хугацаа дууссан',
      means: 'Хүсэлтийг шийдэх, эсвэл үр дүнг нь авах хугацаа дууссан.',
      todo: 'Шинээр хүсэлт гаргаж, зөвшөөрөгчид мэдэгдэнэ үү.',
    },
  ),
  TREE_HEAD_NOT_FOUND: help(
    both('There is nothing to prove yet.', 'Одоогоор батлах зүйл алга.'),
    'Wait for a minute: heads are signed as the tree grows.',
    {
      title: 'Модны орой олдсонгүй',
      means: 'Аудитын модны орой хараахан гарын үсэггүй байна.',
      todo: 'Нэг минут хүлээнэ үү: мод өсөх тусам модны оройд гарын үсэг зурна.',
    },
  ),
  AUDIT_EVENT_NOT_FOUND: help(shows.goneOrMistyped, 'Give the position of a stored event.', {
    title: 'Үйл явдал олдсонгүй',
    means: 'Аудитын модонд ийм үйл явдал байхгүй.',
    todo: 'Хадгалагдсан үйл явдлын байрлалыг өгнө үү.',
  }),
  AUDIT_EVENT_ALTERED: help(
    both(
      'This entry was altered after it was written. Tell the security officer at once.',
      'Энэ бичлэгийг бичсэний дараа өөрчилсөн байна. Та аюулгүй байдлын ажилтанд даруй мэдэгдэнэ үү.',
    ),
    'Treat it as an incident: keep the database as it is, export the log and compare it with an earlier export.',
    {
      title: 'Үйл явдал өөрчлөгдсөн',
      means: 'Хадгалагдсан үйл явдал аудитын модонд орсонтой адилгүй байна.',
      todo: 'Аюулгүй байдлын зөрчил гэж үзнэ үү: өгөгдлийн санг хэвээр нь хадгалж, бүртгэлийг экспортлоод өмнөх экспорттой харьцуулна уу.',
    },
  ),
  ARTICLE_NOT_FOUND: help(shows.goneOrMistyped, 'Read the articles again.', {
    title: 'Нийтлэл олдсонгүй',
    means: 'Ийм нийтлэл байхгүй, эсвэл устгасан.',
    todo: 'Нийтлэлүүдийг дахин уншина уу.',
  }),
} as const;
