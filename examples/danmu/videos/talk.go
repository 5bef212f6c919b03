package videos

import "time"

// talk is what viewers say, by the Src of a video.
var talk = map[string]script{
	"hills.webm": {
		always: []string{
			"first", "good morning everyone", "早上好", "I come here every day", "每天来看一遍", "so calm", "好安静啊",
			"anyone else watching at work?", "上班摸鱼中", "where is this?", "这是哪里", "the colours 😍", "配色绝了",
			"I could watch this for hours", "循环播放中", "those hills move so slowly", "山在走还是我在走", "greetings from Lisbon",
			"来自成都的问候", "my cat watches this with me", "猫也在看", "turn the lights off for this", "关灯看效果更好",
			"minute-long holiday", "一分钟的假期", "who painted this?", "画得真好", "the far hills look like paper", "像剪纸一样",
			"no sound needed", "自己脑补风声", "back again", "又来了", "hello from the night shift", "夜班的朋友举个手", "📷",
			"saved", "收藏了", "this is my wallpaper now", "已设为壁纸",
		},
		busy: [2]busy{
			{at: 29 * time.Second, lines: []string{
				"noon!", "正午了", "the sun is right at the top", "太阳到顶了", "☀️☀️☀️", "sunglasses on 😎", "好亮", "my eyes", "我的眼睛",
				"lunch break", "吃饭了吃饭了", "perfect half-time", "刚好一半", "look at that glow", "这个光晕", "wow", "哇", "哇哇哇",
				"halfway there", "screenshot now", "快截图", "打卡", "warm even through the screen", "隔着屏幕都觉得暖", "❤️",
			}},
			{at: 52 * time.Second, lines: []string{
				"here comes the sunset", "前方高能", "sunset!", "日落!", "golden hour", "黄金时刻", "don't go 😭", "别走", "see you tomorrow, sun",
				"明天见", "good night", "晚安", "晚安各位", "it happens so fast", "太快了", "again, again", "再来一遍", "goosebumps", "起鸡皮疙瘩了",
				"the best part", "名场面", "泪目", "bye", "拜拜", "🌇", "🌅🌅", "who is cutting onions here", "又是美好的一天", "what a day",
			}},
		},
	},
	"lighthouse.webm": {
		always: []string{
			"ahoy", "船长好", "the stars!", "好多星星", "I can hear the waves", "听到海浪声了", "so peaceful", "好治愈", "is anybody living there?",
			"里面有人住吗", "my grandfather kept a lighthouse", "想去看海", "I want to go to the sea", "the moon moves!", "月亮在动",
			"stripes like a candy cane", "像棒棒糖", "how tall is it?", "这灯塔多高", "waves in three layers, clever", "三层海浪", "sleeping to this tonight",
			"助眠神器", "who else cannot sleep?", "失眠的来报到", "凌晨两点", "3 am gang", "smells like salt", "好想吹海风", "keep the light on",
			"给晚归的人留盏灯", "🌊", "🌊🌊🌊", "🌙", "my ship is lost", "迷路了", "a storm would be nice", "来点暴风雨", "cosy", "氛围感拉满",
		},
		busy: [2]busy{
			{at: 12 * time.Second, lines: []string{
				"it looks at us!", "照到我了", "hello lighthouse 👋", "闪到我了", "blink", "眨眼了", "my eyes", "我的眼睛", "flash!", "好亮",
				"caught in the beam", "被发现了", "run", "快跑", "wow", "哇", "hide!", "躲起来", "💡", "here it comes", "来了来了", "前方高能",
				"we are seen", "看这里看这里", "signal received",
			}},
			{at: 36 * time.Second, lines: []string{
				"the fifth flash", "第五次了", "again!", "又来了", "count the turns", "每八秒一圈", "every eight seconds", "I timed it", "掐表中",
				"good night, captain", "船长晚安", "晚安", "safe home everyone", "平安回家", "the beam touches the moon", "光碰到月亮了", "screenshot now",
				"快截图", "名场面", "the best part", "goosebumps", "泪目", "❤️", "like if you see the rock", "打卡", "we made it home", "到家了",
			}},
		},
	},
}
